// Passkeys: what pages ask of the browser, and how the answer comes back. Every page works without it.
if (window.PublicKeyCredential && navigator.credentials) {
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const text = (buffer) => {
    let letters = "";
    for (const byte of new Uint8Array(buffer)) letters += String.fromCharCode(byte);
    return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  };

  // Options come in the JSON form of WebAuthn Level 3, which not every browser reads by itself.
  const parsed = (json) => {
    const options = JSON.parse(json);
    options.challenge = bytes(options.challenge);
    if (options.user) options.user.id = bytes(options.user.id);
    for (const entry of [...(options.allowCredentials ?? []), ...(options.excludeCredentials ?? [])]) entry.id = bytes(entry.id);
    return options;
  };
  const plain = (value) => {
    if (value instanceof ArrayBuffer) return text(value);
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  };
  const answer = (credential) => {
    const { response } = credential;
    const parts = { clientDataJSON: text(response.clientDataJSON) };
    if (response.attestationObject) {
      parts.attestationObject = text(response.attestationObject);
      parts.transports = response.getTransports?.() ?? [];
    } else {
      parts.authenticatorData = text(response.authenticatorData);
      parts.signature = text(response.signature);
      if (response.userHandle) parts.userHandle = text(response.userHandle);
    }
    const result = {
      type: credential.type, id: text(credential.rawId), rawId: text(credential.rawId), response: parts,
      clientExtensionResults: plain(credential.getClientExtensionResults()),
    };
    if (credential.authenticatorAttachment) result.authenticatorAttachment = credential.authenticatorAttachment;
    return JSON.stringify(result);
  };
  const ask = (kind, json, others) => navigator.credentials[kind]({ publicKey: parsed(json), ...others });

  // Posts what the form around the button would, with the answer in it.
  const send = (button, action, credential) => {
    const form = document.createElement("form");
    const add = (name, value) => {
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = name;
      field.value = value;
      form.append(field);
    };
    form.method = "post";
    form.setAttribute("action", button.form.getAttribute("action"));
    for (const name of ["transaction", "csrf"]) {
      const field = button.form.querySelector(`input[name=${name}]`);
      if (field) add(name, field.value);
    }
    add("action", action);
    if (credential) add("passkey", answer(credential));
    document.body.append(form);
    HTMLFormElement.prototype.submit.call(form);
  };
  const complain = (button, sentence) => {
    // What went well before is not said beside what went wrong now.
    for (const old of document.querySelectorAll("#passkey-problem, [role=status].notice")) old.remove();
    const alert = document.createElement("p");
    alert.id = "passkey-problem";
    alert.className = "alert";
    alert.setAttribute("role", "alert");
    (button.form ?? button.parentElement).before(alert);
    alert.textContent = sentence;
  };

  // One request at a time: what waits for autofill makes room for what somebody asked for.
  let waiting = null;
  const stopWaiting = async () => {
    waiting?.controller.abort();
    await waiting?.end;
    waiting = null;
    delete document.body.dataset.autofill;
  };
  const wait = async (button) => {
    if (!("autofill" in button.dataset) || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    const controller = new AbortController();
    const request = ask("get", button.dataset.options, { mediation: "conditional", signal: controller.signal });
    waiting = { controller, end: request.then((credential) => { if (credential) send(button, button.value, credential); }, () => {}) };
    document.body.dataset.autofill = "waiting";
  };

  // Whoever closed the browser's window changed their mind, and needs no sentence about it.
  const isCancelled = (error) => error.name === "NotAllowedError" || error.name === "AbortError";
  const codes = { SecurityError: "invalid_domain", NotSupportedError: "webauthn_unavailable" };
  const begin = async (button) => {
    const { passkey, options, return: returning } = button.dataset;
    button.disabled = true;
    try {
      await stopWaiting();
      const credential = await ask(passkey, options);
      if (!returning) return send(button, button.value, credential);
      return location.assign(`${returning}response=${text(new TextEncoder().encode(answer(credential)))}`);
    } catch (error) {
      if (returning) {
        return location.assign(`${returning}error=${isCancelled(error) ? "canceled_by_user" : codes[error.name] ?? "unexpected"}`);
      }
      if (error.name === "InvalidStateError") complain(button, button.dataset.excluded);
      else if (!isCancelled(error)) complain(button, button.dataset.failed);
    }
    button.disabled = false;
    wait(button).catch(() => {});
  };
  for (const button of document.querySelectorAll("[data-passkey]")) {
    button.hidden = false;
    if (button.parentElement.matches("li")) button.parentElement.hidden = false;
    button.addEventListener("click", () => begin(button));
    wait(button).catch(() => {});
  }
  for (const element of document.querySelectorAll("[data-without-passkeys]")) element.hidden = true;

  // What the browser can do is told with the form, so that nobody is offered what cannot be had.
  for (const form of document.querySelectorAll("[data-passkey-support]")) {
    Promise.all([
      PublicKeyCredential.getClientCapabilities?.() ?? {}, PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable(),
    ]).then(([can, isPlatform]) => {
      const words = [can.conditionalCreate ? "conditional" : "", isPlatform ? "platform" : ""].filter(Boolean);
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = "passkeys";
      field.value = words.join(" ");
      if (words.length > 0) form.append(field);
    }).catch(() => {});
  }

  // After a sign-in by other means: first without disturbing anybody, then by asking.
  for (const quiet of document.querySelectorAll("[data-quiet]")) {
    const button = document.getElementById("passkey"), offer = document.getElementById("offer");
    button.hidden = true;
    document.body.dataset.quiet = "trying";
    const show = () => {
      document.body.dataset.quiet = "over";
      if (!("asks" in offer.dataset)) return send(button, "continue");
      quiet.hidden = true;
      for (const element of [offer, button, ...button.form.querySelectorAll("button[name=action]")]) {
        element.hidden = element.value === "continue";
      }
      offer.focus();
    };
    ask("create", quiet.dataset.quiet, { mediation: "conditional", signal: AbortSignal.timeout(3000) })
      .then((credential) => credential ? send(button, button.value, credential) : show())
      .catch(show);
  }

  // Devices forget passkeys that are good for nothing, and learn new names.
  for (const signal of document.querySelectorAll("[data-signal]")) {
    PublicKeyCredential[signal.dataset.signal]?.(JSON.parse(signal.dataset.details)).catch(() => {});
  }
} else {
  for (const button of document.querySelectorAll("[data-return]")) location.assign(`${button.dataset.return}error=webauthn_unavailable`);
}
