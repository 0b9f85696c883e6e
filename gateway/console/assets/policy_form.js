/**
 * What a policy leaves, shown anew while its form is filled in. The answer is a piece of the page, made
 * where the page was made; without this script a button asks for it.
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
      if (!answer.ok) return;
      const piece = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (signal.aborted) return;
      result.replaceChildren(...piece.body.childNodes);
      result.removeAttribute("aria-busy");
    } catch (error) {
      if (error.name !== "AbortError") result.removeAttribute("aria-busy");
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
