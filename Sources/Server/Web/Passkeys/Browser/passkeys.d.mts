/** A one-time token. The site's backend redeems it with the secret key; by itself it proves nothing to the page. */
export interface TokenInfo {
  token: string;
  /** When it expires, in seconds since 1970. */
  expiresAt: number;
}

/** An error, or a warning beside a success. For developers, not for users. */
export interface Notice {
  /** One of `ErrorCode`, or a code of the service. */
  code: string;
  message: string;
}

export type ErrorCode =
  | "webauthn_unavailable"
  | "timeout"
  | "network_error"
  | "bad_request"
  | "server_error"
  | "canceled_by_user"
  | "invalid_domain"
  | "browser_bug?"
  | "api_unsupported_in_browser"
  | "unexpected";

export interface Details {
  message: string;
  /** The status of the service's answer. */
  status?: number;
  /** What the service said. */
  errors?: Notice[];
  /** With status 429: when to try again, in seconds. */
  retryAfterSeconds?: number;
  /** The browser's error. */
  name?: string;
  /** Why the page ended the call: another one began, `cancel()` was called, or the browser never answered. */
  reason?: "superseded" | "canceled" | "late";
}

export type Result<Data> =
  | { ok: true; data: Data; errors: Notice[] }
  | { ok: false; error: ErrorCode; errors: Notice[]; more: Details };
export type AuthResponse = Result<TokenInfo>;
export type RegisterResponse = Result<TokenInfo>;

/** The site's own identifier of a user, or the user's name there. */
export type UserAuthenticationInfo = { id: string } | { username: string };
/** The names that the browser shows. They stay in the browser. */
export interface UserRegistrationInfo {
  username: string;
  displayName?: string;
}

export interface AcceptedCredentials {
  rpId: string;
  userId: string;
  allAcceptedCredentialIds: string[];
}

export class SDK {
  /** `host` is the address of the service: without it, the origin that this file was loaded from. */
  constructor(publishableKey: string, host?: string | URL);

  readonly isWebAuthnAvailable: boolean;
  isConditionalGetAvailable(): Promise<boolean>;
  isConditionalCreateAvailable(): Promise<boolean>;

  /** Makes a passkey for the user, with the browser's prompt. */
  startRegister(user: UserRegistrationInfo): Promise<RegisterResponse>;
  /** Makes a passkey without a prompt, right after a sign-in with a password or a code. Show no error of it. */
  upgradeToPasskey(user: UserRegistrationInfo): Promise<RegisterResponse>;
  /** Signs the user in, with the browser's prompt. */
  startAuth(user: UserAuthenticationInfo): Promise<AuthResponse>;
  /** Offers passkeys in `<input autocomplete="username webauthn">`. Call it when the page opens; show no error of it. */
  autofill(): Promise<AuthResponse>;
  /** @deprecated Use `autofill()`. */
  handleAutofill(callback: (response: AuthResponse) => void): Promise<void>;
  /** Ends what this page has begun; those calls answer `canceled_by_user`. */
  cancel(): void;

  /** Tells the device which passkeys of a user are good: the `signals` of `/credential/list`, or one of them. */
  signalAllAcceptedCredentials(signals: AcceptedCredentials | AcceptedCredentials[]): Promise<Result<null>>;
  /** Tells the device that a passkey is good for nothing. */
  signalUnknownCredential(signal: { rpId: string; credentialId: string }): Promise<Result<null>>;
  /** Tells the device a user's new names. */
  signalCurrentUserDetails(signal: {
    rpId: string;
    userId: string;
    name: string;
    displayName: string;
  }): Promise<Result<null>>;
}
