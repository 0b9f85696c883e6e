/**
 * Puts the code of a sign-in link into the form. It comes behind the "#" of the address, which a
 * browser sends to no server, and is removed from the address and so from the history.
 */
function takeCode() {
  const code = location.hash.slice(1);
  if (code === "" || code === "content") return;
  history.replaceState(null, "", location.pathname + location.search);
  for (const field of document.querySelectorAll("input[name=code]")) field.value = code;
  document.querySelector("main form button[type=submit]")?.focus();
}

takeCode();
// A link that is opened where the page is open already does not load it again.
addEventListener("hashchange", takeCode);
