// An app's side of the passkey service's wire, as its documentation describes it: options from the service, the
// ceremony in the browser, the answer to the service, a token for the backend.
class PasskeyClient {
  constructor(service, key) {
    this.service = service;
    this.authorization = `Basic ${btoa(`${key}:`)}`;
    this.pending = null;
  }

  register(user) {
    return this.make(user, false);
  }

  upgrade(user) {
    return this.make(user, true);
  }

  signIn(user) {
    return this.use(user);
  }

  autofill() {
    return this.use(undefined);
  }

  cancel() {
    this.pending?.abort();
  }

  async make(user, upgrade) {
    const asked = await this.call("/attestation/options", { upgrade });
    if (!asked.ok) return asked;
    const { publicKey, ...others } = asked.data;
    const options = {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      user: {
        ...publicKey.user,
        id: toBytes(publicKey.user.id),
        name: user.username,
        displayName: user.displayName ?? user.username,
      },
      excludeCredentials: publicKey.excludeCredentials?.map((one) => ({ ...one, id: toBytes(one.id) })),
    };
    return this.ceremony("create", { ...others, publicKey: options }, (credential) =>
      this.call("/attestation/process", {
        credential: {
          ...common(credential),
          response: {
            clientDataJSON: toText(credential.response.clientDataJSON),
            attestationObject: toText(credential.response.attestationObject),
            transports: credential.response.getTransports?.() ?? [],
            publicKey: toTextOrNothing(credential.response.getPublicKey()),
            publicKeyAlgorithm: credential.response.getPublicKeyAlgorithm(),
            authenticatorData: toText(credential.response.getAuthenticatorData()),
          },
        },
      }),
    );
  }

  async use(user) {
    const asked = await this.call("/assertion/options", { user });
    if (!asked.ok) return asked;
    const { publicKey, ...others } = asked.data;
    const options = {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      allowCredentials: publicKey.allowCredentials?.map((one) => ({ ...one, id: toBytes(one.id) })),
    };
    return this.ceremony("get", { ...others, publicKey: options }, (credential) =>
      this.call("/assertion/process", {
        credential: {
          ...common(credential),
          response: {
            authenticatorData: toText(credential.response.authenticatorData),
            clientDataJSON: toText(credential.response.clientDataJSON),
            signature: toText(credential.response.signature),
            userHandle: toTextOrNothing(credential.response.userHandle),
            attestationObject: toText(undefined),
          },
        },
        user,
      }),
    );
  }

  async ceremony(kind, options, finish) {
    // The options are here; only now does what is pending give way.
    this.pending?.abort("another ceremony starts");
    this.pending = new AbortController();
    const { signal } = this.pending;
    // Chromium may miss a signal that comes just when it begins.
    const missed = new Promise((_, reject) => {
      signal.addEventListener("abort", () => setTimeout(reject, 1_000, new DOMException("missed", "AbortError")));
    });
    try {
      const credential = await Promise.race([navigator.credentials[kind]({ ...options, signal }), missed]);
      return await finish(credential);
    } catch (problem) {
      return { ok: false, error: browserCode(problem), more: String(problem) };
    } finally {
      // Whoever waits for the next ceremony must not see this one.
      if (this.pending?.signal === signal) this.pending = null;
    }
  }

  async call(path, body) {
    let response;
    try {
      response = await fetch(this.service + path, {
        method: "POST",
        headers: {
          Accept: "application/json",
          "Content-type": "application/json",
          Authorization: this.authorization,
          "X-SDK": "js/0.3.0",
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(5000),
      });
      if (response.ok) return { ok: true, data: (await response.json()).result };
    } catch (problem) {
      const late = ["TimeoutError", "AbortError"].includes(problem.name);
      return { ok: false, error: late ? "timeout" : "network_error", more: String(problem) };
    }
    return { ok: false, error: response.status < 500 ? "bad_request" : "server_error", more: await response.text() };
  }
}

function common(credential) {
  return {
    type: credential.type,
    id: credential.id,
    rawId: toText(credential.rawId),
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

function browserCode(problem) {
  if (!(problem instanceof Error || problem instanceof DOMException)) return "unexpected";
  if (problem.name === "SecurityError") return "invalid_domain";
  if (["NotAllowedError", "AbortError"].includes(problem.name)) return "canceled_by_user";
  return problem.name === "TypeError" ? "browser_bug?" : "unexpected";
}

function toText(buffer) {
  const text = String.fromCharCode(...new Uint8Array(buffer ?? []));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function toTextOrNothing(buffer) {
  return buffer ? toText(buffer) : undefined;
}

function toBytes(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
