import type { TestService } from "../fixtures/service.ts";
import { assertDemandsTag, assertDemandsUser, assertSpendsOfNames } from "./budgets/lab.ts";
import { assertEmbeds } from "./embeddings/lab.ts";
import { assertRoomForOneFile } from "./files/lab.ts";
import { assertHidesWallet } from "./key_holder/lab.ts";

interface At {
  readonly service: TestService;
}

/** Checks of the fields of a policy that have tests of their own elsewhere. */
export const TESTED_ELSEWHERE = {
  wallet: (at: At): Promise<void> => assertHidesWallet(at.service),
  embeddings: (at: At): Promise<void> => assertEmbeds(at.service, "small"),
  budgets: (at: At): Promise<void> => assertSpendsOfNames(at.service),
  requiredTags: (at: At): Promise<void> => assertDemandsTag(at.service),
  requiredUser: (at: At): Promise<void> => assertDemandsUser(at.service),
  files: (at: At): Promise<void> => assertRoomForOneFile(at.service),
};
