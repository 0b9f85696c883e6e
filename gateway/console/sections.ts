import { catalogue } from "./messages/catalogue.ts";
import type { Section } from "./page.ts";
import { auditFile, auditLog } from "./pages/audit/log.tsx";
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
import {
  adjustWallet,
  changeTier,
  closeWallet,
  debitWallet,
  moveKey,
  refundRequest,
} from "./pages/corrections/forms.tsx";
import { correctionList } from "./pages/corrections/list.tsx";
import { contentLog } from "./pages/keys/content_log.tsx";
import { createKey } from "./pages/keys/create.tsx";
import { keyList } from "./pages/keys/list.tsx";
import { narrowKey } from "./pages/keys/narrow.tsx";
import { previewFeed } from "./pages/keys/preview.tsx";
import { revokeKey } from "./pages/keys/revoke.tsx";
import { rotateKey } from "./pages/keys/rotate.tsx";
import { showKey } from "./pages/keys/show.tsx";
import { addTarget } from "./pages/notifications/add.tsx";
import { notificationList, removeTarget } from "./pages/notifications/list.tsx";
import { createOperator } from "./pages/operators/create.tsx";
import { operatorList } from "./pages/operators/list.tsx";
import { operatorPage } from "./pages/operators/show.tsx";
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
import { usagePage } from "./pages/usage/usage.tsx";
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
    pages: [requestList, refundRequest, requestPage],
    feeds: [tailFeed, requestFile],
  },
  // Tokens and credits by key, model, day, user and tag.
  {
    title: catalogue(["Usage", "用量"]),
    path: "/usage",
    pages: [usagePage],
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
    pages: [keyList, createKey, narrowKey, rotateKey, revokeKey, contentLog, moveKey, showKey],
    feeds: [previewFeed],
  },
  // Prepaid credit, and what it is spent on.
  {
    title: catalogue(["Wallets", "钱包"]),
    path: "/wallets",
    pages: [
      ...[walletList, createWallet, creditWallet, correctionList, debitWallet, adjustWallet],
      ...[changeTier, closeWallet, showWallet],
    ],
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
  // Targets that receive incidents.
  {
    title: catalogue(["Notifications", "通知"]),
    path: "/notifications",
    pages: [notificationList, addTarget, removeTarget],
  },
  // Calls to try out.
  {
    title: catalogue(["Playground", "试验场"]),
    path: "/playground",
    right: "playground",
    pages: [playgroundPage],
    feeds: [playgroundFeed],
  },
  // People with roles, their tokens and sessions.
  {
    title: catalogue(["Operators", "操作员"]),
    path: "/operators",
    right: "operators",
    pages: [operatorList, createOperator, operatorPage],
  },
  // All that operators have done.
  {
    title: catalogue(["Audit log", "审计日志"]),
    path: "/audit",
    right: "audit",
    pages: [auditLog],
    feeds: [auditFile],
  },
];
