import type { ProviderDescriptor } from "./descriptor.ts";

/** The simulator in this process, for trials and tests without a provider. */
export const SIMULATOR: ProviderDescriptor = {
  kind: "simulator",
  traits: { isSimulated: true },
  protocol: { name: "simulator" },
  draws: true,
  embeds: true,
};
