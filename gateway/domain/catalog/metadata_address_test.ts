import { assertEquals } from "@std/assert";
import { isMetadataHost } from "./metadata_address.ts";

Deno.test("metadata services and link-local addresses are known in every form that a URL takes", () => {
  const theirs = [
    ...["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518"],
    ...["169.254.170.2", "169.254.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192"],
    ...["[fd00:ec2::254]", "[fd00:ec2:0:0:0:0:0:254]", "[fd20:ce::254]", "[fe80::1]", "[febf::1]"],
    ...["[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::169.254.169.254]", "[2002:a9fe:a9fe::1]"],
    ...["[::169.254.169.254]", "[::ffff:0:169.254.169.254]", "[64:ff9b::100.100.100.200]"],
    ...["[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "METADATA.google.internal"],
    ...["metadata.google.internal.", "metadata.goog", "169.254.169.254.", "１６９.254.169.254"],
  ];
  for (const host of theirs) {
    assertEquals(isMetadataHost(new URL(`http://${host}/`).hostname), true, host);
  }
  const others = [
    ...["127.0.0.1", "localhost", "10.0.0.1", "169.253.0.1", "100.100.100.201", "[::1]"],
    ...["[64:ff9b::8.8.8.8]", "[2002:808:808::1]", "[2606:4700::a9fe:a9fe]"],
    ...["[fd00::1]", "api.openai.com", "metadata.example", "ollama.internal", "[fec0::1]"],
  ];
  for (const host of others) {
    assertEquals(isMetadataHost(new URL(`http://${host}/`).hostname), false, host);
  }
});
