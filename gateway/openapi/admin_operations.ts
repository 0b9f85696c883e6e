/**
 * What the admin listener offers. A route that is not here fails `tests/contract/openapi_test.ts`.
 *
 * @module
 */

import { z } from "zod";
import * as catalogAnswers from "../admin_api/answers/catalog.ts";
import * as ledgerAnswers from "../admin_api/answers/ledger.ts";
import { overviewAnswer, upstreamListAnswer } from "../admin_api/answers/overview.ts";
import * as requestAnswers from "../admin_api/answers/requests.ts";
import * as storeAnswers from "../admin_api/answers/vector_stores.ts";
import * as walletAnswers from "../admin_api/answers/wallets.ts";
import { filterFields } from "../admin_api/request_filter.ts";
import * as catalogSchemas from "../admin_api/schemas/catalog.ts";
import * as requestSchemas from "../admin_api/schemas/requests.ts";
import * as storeSchemas from "../admin_api/schemas/vector_stores.ts";
import * as walletSchemas from "../admin_api/schemas/wallets.ts";
import { configSchema } from "../config/schema.ts";
import { errorEnvelopeSchema } from "../http/schemas/error.ts";
import { MEDIA_TYPES } from "../vector_stores/media_types.ts";
import { KEY_OPERATIONS, SECRET_OPERATIONS } from "./admin_key_operations.ts";
import { CHANGED, FOUND, JSON_TYPE, noun, reply, STORE } from "./noun.ts";
import type { Operation } from "./operation.ts";
import { PLAYGROUND_OPERATIONS } from "./playground_operations.ts";
import { selfOperations } from "./self_operations.ts";

const LINES_TYPE = "application/x-ndjson";

const WALLETS = noun("Wallets", {
  "GET /wallets": {
    id: "listWallets",
    summary: "List the wallets",
    answer: walletAnswers.walletListAnswer,
  },
  "POST /wallets": {
    id: "createWallet",
    summary: "Open a wallet",
    description: "Safe to repeat where it was interrupted: the wallet is opened and paid once.",
    body: walletSchemas.newWallet,
    example: { id: "team", tier: "standard", credits: "100" },
    status: 201,
    answer: walletAnswers.walletAnswer,
    codes: [STORE, "conflict"],
  },
  "GET /wallets/{id}": {
    id: "getWallet",
    summary: "Show a wallet",
    answer: walletAnswers.walletAnswer,
    codes: [STORE, "not_found"],
  },
  "POST /wallets/{id}/credit": {
    id: "creditWallet",
    summary: "Pay into a wallet",
    description: "With an `opId`, or the header `Idempotency-Key`, it is safe to repeat.",
    headers: z.object({ "Idempotency-Key": walletSchemas.opId.optional() }),
    body: walletSchemas.payment,
    example: { credits: "50", note: "Invoice 17", opId: "invoice-17" },
    answer: walletAnswers.walletAnswer,
    codes: [STORE, "not_found", "conflict"],
  },
  "POST /wallets/{id}/low-balance": {
    id: "markLowBalance",
    summary: "Set where a wallet counts as low",
    description: "Told of, never acted upon.",
    body: walletSchemas.lowMark,
    example: { below: "20" },
    answer: walletAnswers.walletAnswer,
    codes: FOUND,
  },
  "GET /wallets/{id}/holds": {
    id: "listHolds",
    summary: "List what is held of a wallet",
    answer: walletAnswers.holdListAnswer,
    codes: FOUND,
  },
  "GET /wallets/{id}/statement": {
    id: "listStatement",
    summary: "List what moved a wallet",
    query: walletSchemas.statementQuery,
    answer: walletAnswers.statementAnswer,
    codes: [STORE, "not_found"],
  },
});

const CATALOG = noun("Catalog", {
  "GET /catalog": {
    id: "getCatalog",
    summary: "Show the catalog in force",
    answer: catalogAnswers.catalogAnswer,
    codes: [],
  },
  "GET /catalog/versions": {
    id: "listCatalogVersions",
    summary: "List the versions, newest first",
    query: catalogSchemas.versionsQuery,
    answer: catalogAnswers.catalogVersionsAnswer,
  },
  "GET /catalog/versions/{version}": {
    id: "getCatalogVersion",
    summary: "Show a version",
    answer: catalogAnswers.catalogAnswer,
    codes: FOUND,
  },
  "GET /catalog/versions/{version}/changes": {
    id: "compareCatalogVersions",
    summary: "Show what a version changed",
    query: catalogSchemas.changesQuery,
    answer: catalogAnswers.catalogDifferenceAnswer,
    codes: FOUND,
  },
  "POST /catalog/apply": {
    id: "applyCatalog",
    summary: "Make a version and bring it into force",
    description: "One atomic change; requests under way keep the version they started with.",
    body: catalogSchemas.change.extend({ content: configSchema }),
    answer: catalogAnswers.catalogChangeAnswer,
    codes: [STORE, "conflict"],
  },
  "POST /catalog/rollback": {
    id: "rollBackCatalog",
    summary: "Bring an earlier version into force again",
    body: catalogSchemas.rollback,
    example: { version: 3, note: "The new prices were wrong" },
    answer: catalogAnswers.catalogChangeAnswer,
    codes: CHANGED,
  },
  "GET /catalog/check": {
    id: "checkCatalog",
    summary: "Compare the catalog with the price list and the upstreams",
    query: catalogSchemas.checkQuery,
    answer: catalogAnswers.catalogCheckAnswer,
    codes: [],
  },
  "GET /models": {
    id: "listPool",
    summary: "List the models as routing sees them",
    answer: catalogAnswers.poolAnswer,
    codes: [],
  },
  "GET /upstreams": {
    id: "listUpstreams",
    summary: "List the upstreams with their state",
    answer: upstreamListAnswer,
    codes: [],
  },
  "GET /upstreams/{id}/models": {
    id: "listOfferedModels",
    summary: "Ask an upstream for its models",
    answer: catalogAnswers.offeredModelsAnswer,
    codes: ["not_found", "upstream_error", "upstream_timeout"],
  },
});

const REQUESTS = noun("Requests", {
  "GET /requests": {
    id: "listRequests",
    summary: "Search the request log",
    query: requestSchemas.requestsQuery,
    answer: requestAnswers.requestListAnswer,
  },
  "GET /requests/tail": {
    id: "tailRequests",
    summary: "Follow the request log",
    description: "A stream of server-sent events: `request`, with a row as it is written, and " +
      "`lost`, with how many a slow reader has missed.",
    query: filterFields,
    answer: requestAnswers.tailEventAnswer,
    media: "text/event-stream",
    codes: [],
  },
  "GET /requests/{id}": {
    id: "getRequest",
    summary: "Show one request: its route, its bill",
    description: "By the id of its row, or the newest of an `X-Request-ID`.",
    answer: requestAnswers.requestAnswer,
    codes: FOUND,
  },
  "GET /overview": {
    id: "getOverview",
    summary: "Sum the requests of a time, and show how the upstreams are",
    query: requestSchemas.overviewQuery,
    answer: overviewAnswer,
  },
  "GET /usage": {
    id: "getUsage",
    summary: "Sum tokens and credits",
    query: requestSchemas.usageQuery,
    answer: requestAnswers.usageAnswer,
  },
  "GET /service": {
    id: "getService",
    summary: "Show what runs, and where applications call it",
    answer: requestAnswers.serviceAnswer,
    codes: [],
  },
});

const [verify, exported] = noun("Ledger", {
  "GET /ledger/verify": {
    id: "verifyLedger",
    summary: "Recompute the books from the journal and compare",
    description: `Where \`Accept\` names ${LINES_TYPE}: progress, one JSON value a line, and the ` +
      "result as the last. A failure on the way is a last line with `error`.",
    query: () => ({}),
    headers: z.object({ Accept: z.string().optional() }),
    answer: ledgerAnswers.verificationAnswer,
  },
  "GET /ledger/export": {
    id: "exportLedger",
    summary: "Send the journal, oldest entry first, one a line",
    description: "The last line is of the kind `end`: an export without it was cut. A failure on " +
      "the way is a last line with `error`.",
    query: walletSchemas.exportQuery,
    answer: z.never(),
    codes: FOUND,
  },
});
const LEDGER: readonly Operation[] = verify === undefined || exported === undefined ? [] : [
  {
    ...verify,
    replies: {
      200: reply({
        [JSON_TYPE]: { schema: ledgerAnswers.verificationAnswer },
        [LINES_TYPE]: {
          schema: z.union([ledgerAnswers.verificationLineAnswer, errorEnvelopeSchema]),
        },
      }),
    },
  },
  {
    ...exported,
    replies: {
      200: {
        description: "The journal",
        content: {
          [LINES_TYPE]: {
            schema: z.union([
              walletAnswers.journalLineAnswer,
              ledgerAnswers.exportEndAnswer,
              errorEnvelopeSchema,
            ]),
          },
        },
        headers: ["Cache-Control", "X-Ledger-Entries"],
      },
    },
  },
];

const FILE_TYPES = [...new Set(Object.values(MEDIA_TYPES)), "application/octet-stream"];

const STORES = noun("Vector stores", {
  "GET /vector-stores": {
    id: "listVectorStores",
    summary: "List the vector stores",
    query: storeSchemas.storesQuery,
    answer: storeAnswers.vectorStoreListAnswer,
    codes: [],
  },
  "POST /vector-stores": {
    id: "createVectorStore",
    summary: "Make a vector store",
    body: storeSchemas.newStore,
    example: { name: "Handbook", wallet: "team" },
    status: 201,
    answer: storeAnswers.vectorStoreAnswer,
    codes: [STORE, "conflict"],
  },
  "GET /vector-stores/{id}": {
    id: "getVectorStore",
    summary: "Show a vector store",
    answer: storeAnswers.vectorStoreAnswer,
    codes: ["not_found"],
  },
  "DELETE /vector-stores/{id}": {
    id: "deleteVectorStore",
    summary: "Delete a vector store with its files",
    answer: storeAnswers.deletedAnswer,
    codes: FOUND,
  },
  "GET /vector-stores/{id}/files": {
    id: "listFiles",
    summary: "List the files of a vector store",
    answer: storeAnswers.fileListAnswer,
    codes: FOUND,
  },
  "POST /vector-stores/{id}/files": {
    id: "addFile",
    summary: "Add a file",
    description: "The body is the file. What it is, its `Content-Type` says, or else its name.",
    query: storeSchemas.fileQuery,
    status: 201,
    answer: storeAnswers.addedFileAnswer,
    codes: CHANGED,
  },
  "GET /vector-stores/{id}/files/{fileId}": {
    id: "getFileOfStore",
    summary: "Show a file",
    answer: storeAnswers.fileAnswer,
    codes: FOUND,
  },
  "DELETE /vector-stores/{id}/files/{fileId}": {
    id: "deleteFile",
    summary: "Delete a file",
    answer: storeAnswers.deletedAnswer,
    codes: FOUND,
  },
  "POST /vector-stores/{id}/files/{fileId}/embeddings": {
    id: "embedFile",
    summary: "Embed a file that has no embeddings, or those of another model",
    answer: storeAnswers.fileAnswer,
    codes: [...CHANGED, "upstream_error"],
  },
  "POST /vector-stores/{id}/search": {
    id: "searchVectorStore",
    summary: "Search as the tool file_search does",
    body: storeSchemas.trial,
    example: { query: "How many days of leave are there?", maxResults: 5 },
    answer: storeAnswers.searchAnswer,
    codes: CHANGED,
  },
}).map((operation) =>
  operation.id !== "addFile"
    ? operation
    : { ...operation, body: Object.fromEntries(FILE_TYPES.map((type) => [type, {}])) }
);

/** Every operation of the admin listener. */
export const ADMIN_OPERATIONS: readonly Operation[] = [
  ...WALLETS,
  ...KEY_OPERATIONS,
  ...SECRET_OPERATIONS,
  ...CATALOG,
  ...PLAYGROUND_OPERATIONS,
  ...REQUESTS,
  ...LEDGER,
  ...STORES,
  ...selfOperations("Description"),
];
