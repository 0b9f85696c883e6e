/**
 * Updates the preview of a policy while its form is filled in. The service renders the preview as it
 * renders the page; without this script a button fetches it.
 */

/** Time without a change before it is asked for, in milliseconds. */
const REST_MS = 250;

function previewLive(form) {
  const result = form.querySelector("[data-result]");
  let timer;
  let asking;
  async function ask() {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    try {
      const answer = await fetch(form.dataset.preview, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        signal,
      });
      const text = await answer.text();
      if (signal.aborted) return;
      // Where it cannot be had, as after a sign-out, what is shown stays: saving tells why.
      if (answer.ok) {
        const piece = new DOMParser().parseFromString(text, "text/html");
        result.replaceChildren(...piece.body.childNodes);
      }
      result.removeAttribute("aria-busy");
    } catch {
      if (!signal.aborted) result.removeAttribute("aria-busy");
    }
  }
  form.addEventListener("input", () => {
    result.setAttribute("aria-busy", "true");
    clearTimeout(timer);
    timer = setTimeout(ask, REST_MS);
  });
  form.querySelector("[name=do][value=preview]").hidden = true;
}

for (const form of document.querySelectorAll("form[data-preview]")) previewLive(form);
