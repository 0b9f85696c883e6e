import type { SharedV4Warning } from "@ai-sdk/provider";

/** What a provider package left out or changed, in a line each. */
export function warningTexts(warnings: readonly SharedV4Warning[]): string[] {
  return warnings.map((warning) => {
    switch (warning.type) {
      case "unsupported":
      case "compatibility":
        return `${warning.feature}: ${warning.details ?? `${warning.type} by this model`}`;
      case "deprecated":
        return `${warning.setting}: ${warning.message}`;
      case "other":
        return warning.message;
    }
  });
}
