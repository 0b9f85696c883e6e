import { catalogue } from "./messages/catalogue.ts";
import type { Section } from "./page.ts";
import { catalogCheck } from "./pages/catalog/check.tsx";
import { catalogHistory } from "./pages/catalog/history.tsx";
import { catalogApply, catalogJson } from "./pages/catalog/json.tsx";
import { modelPage } from "./pages/catalog/model.tsx";
import { modelEdit, modelNew } from "./pages/catalog/model_edit.tsx";
import { modelList } from "./pages/catalog/models.tsx";
import { rollback } from "./pages/catalog/rollback.tsx";
import { tierEdit, tierNew } from "./pages/catalog/tier_edit.tsx";
import { tierList } from "./pages/catalog/tiers.tsx";
import { versionPage } from "./pages/catalog/version.tsx";
import { contentLog } from "./pages/keys/content_log.tsx";
import { createKey } from "./pages/keys/create.tsx";
import { keyList } from "./pages/keys/list.tsx";
import { narrowKey } from "./pages/keys/narrow.tsx";
import { previewFeed } from "./pages/keys/preview.tsx";
import { revokeKey } from "./pages/keys/revoke.tsx";
import { rotateKey } from "./pages/keys/rotate.tsx";
import { showKey } from "./pages/keys/show.tsx";
import { overviewPage } from "./pages/overview/overview.tsx";
import { playgroundPage } from "./pages/playground/page.tsx";
import { playgroundFeed } from "./pages/playground/send.ts";
import { requestList } from "./pages/requests/list.tsx";
import { requestPage } from "./pages/requests/request.tsx";
import { requestFile } from "./pages/requests/request_file.ts";
import { tailFeed } from "./pages/requests/tail_feed.tsx";
import { routingPage } from "./pages/routing/routing.tsx";
import { taskPage } from "./pages/routing/task.tsx";
import { upstreamEdit, upstreamNew } from "./pages/upstreams/edit.tsx";
import { upstreamList } from "./pages/upstreams/list.tsx";
import { upstreamPage } from "./pages/upstreams/upstream.tsx";
import { createWallet } from "./pages/wallets/create.tsx";
import { creditWallet } from "./pages/wallets/credit.tsx";
import { walletList } from "./pages/wallets/list.tsx";
import { showWallet } from "./pages/wallets/show.tsx";
import { statementFile } from "./pages/wallets/statement_file.ts";

/** The console, as its navigation has it. The first one with pages is where it begins. */
export const SECTIONS: readonly Section[] = [
  // Requests, spend, errors and latency over a chosen time.
  {
    title: catalogue(["Overview", "概览"]),
    path: "/overview",
    pages: [overviewPage],
  },
  // Every request, and how each came to its answer and its price.
  {
    title: catalogue(["Requests", "请求"]),
    path: "/requests",
    pages: [requestList, requestPage],
    feeds: [tailFeed, requestFile],
  },
  // Tasks that routing learns about, what it saved, and the dial.
  {
    title: catalogue(["Routing", "路由"]),
    path: "/routing",
    pages: [routingPage, taskPage],
  },
  // Keys of applications, their policies and their rotation.
  {
    title: catalogue(["Keys", "密钥"]),
    path: "/keys",
    pages: [keyList, createKey, narrowKey, rotateKey, revokeKey, contentLog, showKey],
    feeds: [previewFeed],
  },
  // Prepaid credit, and what it is spent on.
  {
    title: catalogue(["Wallets", "钱包"]),
    path: "/wallets",
    pages: [walletList, createWallet, creditWallet, showWallet],
    feeds: [statementFile],
  },
  // Models, prices and tiers.
  {
    title: catalogue(["Catalog", "目录"]),
    path: "/catalog",
    pages: [
      modelList,
      modelPage,
      modelEdit,
      modelNew,
      tierList,
      tierEdit,
      tierNew,
      catalogJson,
      catalogApply,
      catalogCheck,
      catalogHistory,
      versionPage,
      rollback,
    ],
  },
  // Providers, and how they are.
  {
    title: catalogue(["Upstreams", "上游"]),
    path: "/upstreams",
    pages: [upstreamList, upstreamPage, upstreamEdit, upstreamNew],
  },
  // Calls to try out.
  {
    title: catalogue(["Playground", "试验场"]),
    path: "/playground",
    pages: [playgroundPage],
    feeds: [playgroundFeed],
  },
];
