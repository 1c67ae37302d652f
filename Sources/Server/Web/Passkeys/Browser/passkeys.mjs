/*! Keyturn: passkeys for sites that keep their own users. Apache-2.0. */

// The page gets a one-time token from here; the site's backend redeems it with the secret key and learns the user.
// No function throws: each answers `{ ok: true, data, errors }` or `{ ok: false, error, errors, more }`.

const version = "0.1.0";

// The service is where this file came from, unless the site names another address.
const loadedFrom = import.meta.url;

/** The service answers within this time, in milliseconds. */
const serviceTimeout = 10_000;
/** A silent registration ends within this time, in milliseconds: some browsers never answer. */
const upgradeTimeout = 30_000;
/** Challenges of an offer in the name field are good for an hour; the offer is renewed before, in milliseconds. */
const offerRenewal = 50 * 60_000;
const offerCheck = 60_000;
/** An aborted prompt is waited for so long, in milliseconds: what stands before a browser may ignore the signal. */
const handover = 1_000;

class SDK {
  #key;
  #host;

  /** `host` is the address of the service: without it, the origin that this file was loaded from. */
  constructor(publishableKey, host = originOf(loadedFrom)) {
    this.#key = publishableKey;
    this.#host = host && String(host).replace(/\/+$/, "");
  }

  get isWebAuthnAvailable() {
    return typeof globalThis.PublicKeyCredential === "function" && !!navigator.credentials;
  }

  async isConditionalGetAvailable() {
    const known = (await this.#capabilities()).conditionalGet;
    if (known !== undefined || !this.isWebAuthnAvailable) return known === true;
    return (await attempt(() => PublicKeyCredential.isConditionalMediationAvailable())) === true;
  }

  async isConditionalCreateAvailable() {
    return (await this.#capabilities()).conditionalCreate === true;
  }

  /** Makes a passkey for the user, with the browser's prompt. */
  startRegister(user) {
    return this.#register(user, false);
  }

  /** Makes a passkey without a prompt, right after a sign-in with a password or a code. */
  upgradeToPasskey(user) {
    return this.#register(user, true);
  }

  /** Signs the user in whose `id` or `username` the page knows, with the browser's prompt. */
  startAuth(user) {
    return ceremony(async (own) => {
      this.#require();
      const selector = selectorOf(user);
      if (!selector) throw new Problem("bad_request", "startAuth needs the user's id or username");
      return this.#authenticate(own, selector);
    });
  }

  /** Offers passkeys where the user types a name. Waits until the user takes one, or another call begins. */
  autofill() {
    return ceremony(async (own) => {
      this.#require("api_unsupported_in_browser");
      if (!(await this.isConditionalGetAvailable())) throw new Problem("api_unsupported_in_browser");
      return this.#authenticate(own, undefined);
    });
  }

  /** The older form of `autofill`: calls back after a success, and is silent otherwise. */
  async handleAutofill(callback) {
    const result = await this.autofill();
    if (result.ok) callback(result);
  }

  /** Ends what this page has begun; those calls answer `canceled_by_user`. */
  cancel() {
    for (const one of [...running]) one.abort("canceled");
  }

  /** Tells the device which passkeys of a user are good: the `signals` of `/credential/list`, or one of them. */
  signalAllAcceptedCredentials(signals) {
    return this.#signal("signalAllAcceptedCredentials", signals);
  }

  /** Tells the device that a passkey is good for nothing: `{ rpId, credentialId }`. */
  signalUnknownCredential(signal) {
    return this.#signal("signalUnknownCredential", signal);
  }

  /** Tells the device a user's new names: `{ rpId, userId, name, displayName }`. */
  signalCurrentUserDetails(signal) {
    return this.#signal("signalCurrentUserDetails", signal);
  }

  #register(user, upgrade) {
    return ceremony(async (own) => {
      this.#require(upgrade ? "api_unsupported_in_browser" : undefined);
      const name = user?.username ?? user?.name ?? user?.handle;
      if (!isText(name)) throw new Problem("bad_request", "a registration needs a username");
      if (upgrade && !(await this.isConditionalCreateAvailable())) throw new Problem("api_unsupported_in_browser");
      const asked = await this.#call("/attestation/options", { upgrade }, own.signal);
      const publicKey = read(() => creationOptions(asked.result.publicKey, name, user.displayName ?? name));
      const mediation = upgrade ? "conditional" : undefined;
      const made = await own.prompt("create", { publicKey, mediation }, upgrade ? upgradeTimeout : undefined);
      try {
        return await this.#token("/attestation/process", { credential: registration(made) }, own.signal);
      } catch (problem) {
        // Without a token it can never be attached to a user.
        this.#signal("signalUnknownCredential", { rpId: publicKey.rp?.id, credentialId: made.id });
        throw problem;
      }
    });
  }

  async #authenticate(own, user) {
    for (let isRenewal = false; ; ) {
      let asked;
      try {
        asked = await this.#call("/assertion/options", { user }, own.signal);
      } catch (problem) {
        // A computer that wakes up may have no connection yet.
        if (!isRenewal || !passing.includes(problem.code)) throw problem;
        await own.pause(offerCheck);
        continue;
      }
      const publicKey = read(() => requestOptions(asked.result.publicKey));
      const found = user ? await own.prompt("get", { publicKey }) : await own.offer({ publicKey });
      if (found) return this.#token("/assertion/process", { credential: assertion(found), user }, own.signal);
      isRenewal = true;
    }
  }

  /** What every ceremony needs. `missing` is the error where the browser has no passkeys. */
  #require(missing = "webauthn_unavailable") {
    if (!globalThis.isSecureContext) throw new Problem("invalid_domain", "the page needs https, or localhost");
    if (!this.isWebAuthnAvailable) throw new Problem(missing);
    if (!this.#host) throw new Problem("bad_request", "name the service: new SDK(publishableKey, host)");
  }

  async #capabilities() {
    return (this.isWebAuthnAvailable && (await attempt(() => PublicKeyCredential.getClientCapabilities()))) || {};
  }

  async #token(path, body, signal) {
    const { result, errors } = await this.#call(path, body, signal);
    if (!isText(result.token)) throw new Problem("server_error", "the service sent no token");
    return { data: { token: result.token, expiresAt: result.expiresAt }, errors };
  }

  /** One call of the service: its result and its warnings. No cookies go with it. */
  async #call(path, body, signal) {
    const deadline = new AbortController();
    const stop = () => deadline.abort();
    const timer = setTimeout(stop, serviceTimeout);
    signal.addEventListener("abort", stop);
    let response, text;
    try {
      signal.throwIfAborted();
      response = await fetch(this.#host + path, {
        method: "POST",
        headers: {
          Accept: "application/json",
          Authorization: `Basic ${btoa(`${this.#key}:`)}`,
          "Content-Type": "application/json",
          "X-SDK": `keyturn-js/${version}`,
        },
        body: JSON.stringify(body),
        credentials: "omit",
        redirect: "error",
        signal: deadline.signal,
      });
      text = await response.text();
    } catch (cause) {
      if (signal.aborted) throw cause;
      if (deadline.signal.aborted) throw new Problem("timeout", "the service did not answer in time");
      throw new Problem("network_error", cause.message, { name: cause.name });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
    return opened(response, text);
  }

  async #signal(name, details) {
    try {
      if (typeof globalThis.PublicKeyCredential?.[name] !== "function") throw new Problem("api_unsupported_in_browser");
      for (const one of [details].flat()) await PublicKeyCredential[name](one);
      return { ok: true, data: null, errors: [] };
    } catch (problem) {
      return failure(problem instanceof TypeError ? new Problem("bad_request", problem.message) : problem);
    }
  }
}

// Ceremonies. Browsers have one prompt or offer at a time, so those of a page take turns, whatever instance began them.

const running = new Set();
let begun = 0;
let shown = null;

class Ceremony {
  #controller = new AbortController();
  #number = ++begun;
  #ended = null;
  /** Why it was aborted: `superseded`, `canceled`, or `late`. */
  reason = null;

  get signal() {
    return this.#controller.signal;
  }

  abort(reason) {
    this.reason ??= reason;
    this.#controller.abort();
  }

  /** Shows the browser's prompt. An older ceremony makes room for it; a newer one does not. */
  async prompt(kind, options, timeout) {
    const timer = timeout && setTimeout(() => this.abort("late"), timeout);
    const began = performance.now();
    try {
      return await this.#show(kind, options, this.signal);
    } catch (problem) {
      // Browsers have one error for a user who declines and for one who does nothing.
      const isLate = problem?.name === "NotAllowedError" && performance.now() - began >= options.publicKey.timeout;
      throw isLate ? new Problem("timeout", problem.message) : problem;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Offers passkeys in the name field. Answers nothing when it is time for another challenge. */
  async offer(options) {
    const renewal = new AbortController();
    const stop = () => renewal.abort();
    const began = Date.now();
    // Looks at the clock, because timers stand still while a computer sleeps.
    const timer = setInterval(() => Date.now() - began >= offerRenewal && stop(), offerCheck);
    this.signal.addEventListener("abort", stop);
    try {
      return await this.#show("get", { ...options, mediation: "conditional" }, renewal.signal);
    } catch (problem) {
      if (renewal.signal.aborted && !this.signal.aborted) return undefined;
      throw problem;
    } finally {
      clearInterval(timer);
      this.signal.removeEventListener("abort", stop);
    }
  }

  /** Waits so long, in milliseconds, or until the ceremony is aborted. */
  pause(milliseconds) {
    return new Promise((resolve, reject) => {
      setTimeout(resolve, milliseconds);
      this.signal.addEventListener("abort", () => reject(this.signal.reason), { once: true });
    });
  }

  async #show(kind, options, signal) {
    if (shown && shown.#number > this.#number) this.abort("superseded");
    this.signal.throwIfAborted();
    const older = shown;
    shown = this;
    older?.abort("superseded");
    let end;
    this.#ended = new Promise((resolve) => { end = resolve; });
    try {
      // Some browsers refuse a prompt until the one before it is gone.
      if (older) await Promise.race([older.#ended, pause(handover)]);
      signal.throwIfAborted();
      const credential = await navigator.credentials[kind]({ ...options, signal });
      if (credential?.type !== "public-key") throw new Problem("browser_bug?", "the browser's answer is no passkey");
      return credential;
    } finally {
      if (shown === this) shown = null;
      end();
    }
  }
}

async function ceremony(run) {
  const own = new Ceremony();
  running.add(own);
  try {
    return { ok: true, ...(await run(own)) };
  } catch (problem) {
    return failure(problem, own.reason);
  } finally {
    running.delete(own);
  }
}

// Errors.

class Problem extends Error {
  constructor(code, message = code, more = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
}

/** What may be over a minute later. */
const passing = ["network_error", "timeout", "server_error"];

/** Browsers' errors, by name. */
const codes = {
  AbortError: "canceled_by_user",
  NotAllowedError: "canceled_by_user",
  NotSupportedError: "webauthn_unavailable",
  SecurityError: "invalid_domain",
  TypeError: "browser_bug?",
};

function failure(problem, reason) {
  const isOurs = problem instanceof Problem;
  const { name, message } = isOurs ? problem : { name: problem?.name, message: String(problem?.message ?? problem) };
  let error = isOurs ? problem.code : (codes[name] ?? "unexpected");
  if (reason) error = reason === "late" ? "timeout" : "canceled_by_user";
  const more = isOurs ? problem.more : { name };
  if (reason) more.reason = reason;
  return { ok: false, error, errors: [{ code: error, message }, ...(more.errors ?? [])], more: { message, ...more } };
}

// The service's envelope: `{ result, errors }`.

function opened(response, text) {
  const { status } = response;
  const envelope = parsed(text);
  const errors = [envelope?.errors ?? []].flat().filter((one) => isText(one?.code));
  if (response.ok && envelope?.result) return { result: envelope.result, errors };
  if (response.ok) throw new Problem("network_error", "the answer does not come from the service", { status });
  const message = errors[0] ? `${errors[0].code}: ${errors[0].message}` : `the service answered ${status}`;
  const more = { status, errors };
  const seconds = Number.parseInt(response.headers.get("Retry-After"), 10);
  if (seconds >= 0) more.retryAfterSeconds = seconds;
  // On these routes a key's permission ends where its origins end.
  if (errors[0]?.code === "PermissionViolation") throw new Problem("invalid_domain", message, more);
  throw new Problem(status >= 500 ? "server_error" : "bad_request", message, more);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read(parse) {
  try {
    return parse();
  } catch {
    throw new Problem("server_error", "the service's options cannot be read");
  }
}

// WebAuthn's values and their JSON form (WebAuthn Level 3 §5.1.8, §5.1.9). Written out, because browsers and the
// extensions that stand before them do not all convert them alike.

function creationOptions(json, name, displayName) {
  return {
    ...json,
    challenge: bytes(json.challenge),
    user: { ...json.user, id: bytes(json.user.id), name, displayName },
    excludeCredentials: json.excludeCredentials?.map(descriptor),
  };
}

function requestOptions(json) {
  return { ...json, challenge: bytes(json.challenge), allowCredentials: json.allowCredentials?.map(descriptor) };
}

function descriptor(json) {
  return { ...json, id: bytes(json.id) };
}

function registration(credential) {
  const { response } = credential;
  return {
    ...common(credential),
    response: {
      clientDataJSON: text64(response.clientDataJSON),
      attestationObject: text64(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  };
}

function assertion(credential) {
  const { response } = credential;
  return {
    ...common(credential),
    response: {
      clientDataJSON: text64(response.clientDataJSON),
      authenticatorData: text64(response.authenticatorData),
      signature: text64(response.signature),
      // Security keys may have none.
      userHandle: response.userHandle?.byteLength ? text64(response.userHandle) : undefined,
    },
  };
}

function common(credential) {
  return {
    type: credential.type,
    id: text64(credential.rawId),
    rawId: text64(credential.rawId),
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: plain(credential.getClientExtensionResults?.() ?? {}),
  };
}

function plain(value) {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return text64(value.buffer ?? value);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

function bytes(text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
}

function text64(buffer) {
  let letters = "";
  for (const byte of new Uint8Array(buffer)) letters += String.fromCharCode(byte);
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

// Small things.

function selectorOf(user) {
  const username = user?.username ?? user?.handle;
  // Of both, the identifier counts.
  if (isText(user?.id)) return { id: user.id };
  return isText(username) ? { username } : undefined;
}

function isText(value) {
  return typeof value === "string" && value !== "";
}

function originOf(address) {
  return /^https?:/.test(address) ? new URL(address).origin : undefined;
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function attempt(call) {
  try {
    return await call();
  } catch {
    return undefined;
  }
}

export { SDK };
