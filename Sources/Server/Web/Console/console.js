// Comfort only: every page of the console works without it.
// Parts of a page that people watch are fetched again. Nothing moves while the operator reads a table or fills in a form.
const live = document.querySelector("[data-live]");
if (live) {
  let failures = 0;
  const renew = async () => {
    const isBusy = document.hidden || live.contains(document.activeElement) || live.querySelector("details[open]");
    if (!isBusy) {
      try {
        const answer = await fetch(location.href, { cache: "no-store", redirect: "manual" });
        if (!answer.ok) throw new Error(String(answer.status));
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.querySelector("[data-live]");
        if (fresh) live.replaceChildren(...fresh.childNodes);
        failures = 0;
      } catch { failures += 1; }
    }
    setTimeout(renew, Math.min(Number(live.dataset.live) * 1000 * 2 ** failures, 60000));
  };
  setTimeout(renew, Number(live.dataset.live) * 1000);
}
// A search is made while its words are typed.
for (const form of document.querySelectorAll("form[data-search]")) {
  let timer, asked = 0;
  const results = document.getElementById(form.dataset.search);
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const number = ++asked;
      const query = new URLSearchParams(new FormData(form)).toString();
      try {
        const answer = await fetch(`${form.getAttribute("action")}?${query}`, { cache: "no-store", redirect: "manual" });
        if (!answer.ok || number !== asked) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById(form.dataset.search);
        if (!fresh || number !== asked) return;
        results.replaceChildren(...fresh.childNodes);
        history.replaceState(null, "", `${form.getAttribute("action")}?${query}`);
      } catch { /* The button still searches. */ }
    }, 200);
  });
}
for (const button of document.querySelectorAll("[data-copy-text]")) {
  if (!navigator.clipboard) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(document.getElementById(button.dataset.copyText).textContent); } catch { return; }
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
