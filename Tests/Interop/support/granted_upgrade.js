// A browser that makes a passkey quietly, as one with a password manager would: `makeQuietly` stands for it.
(() => {
  const toText = (buffer) => {
    const letters = String.fromCharCode(...new Uint8Array(buffer));
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  };
  const toBuffer = (text) => {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(letters, (letter) => letter.charCodeAt(0)).buffer;
  };
  const plain = (value) => {
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return toText(value.buffer ?? value);
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  };
  const create = navigator.credentials.create.bind(navigator.credentials);
  navigator.credentials.create = async (options) => {
    if (options.mediation !== "conditional") return create(options);
    const made = await window.makeQuietly(plain(options.publicKey));
    const parts = made.response;
    return {
      ...made,
      rawId: toBuffer(made.rawId),
      response: {
        clientDataJSON: toBuffer(parts.clientDataJSON),
        attestationObject: toBuffer(parts.attestationObject),
        getTransports: () => parts.transports,
        getPublicKey: () => null,
        getPublicKeyAlgorithm: () => -7,
        getAuthenticatorData: () => undefined,
      },
      getClientExtensionResults: () => ({}),
      toJSON: () => made,
    };
  };
})();
