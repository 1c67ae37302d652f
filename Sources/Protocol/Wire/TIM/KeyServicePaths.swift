/// Where the key service answers, below the server's address or a realm's.
public enum KeyServicePaths {
    /// The name of the header by which a repeated `createkey` is known again (draft-ietf-httpapi-idempotency-key-header §2.1).
    public static let idempotencyKey = "Idempotency-Key"

    /// Below ``root``: makes a key.
    public static let createKey = "createkey"
    /// Hands a key out for either secret.
    public static let key = "key"
    /// Ours: another secret for the same key.
    public static let changeSecret = "changesecret"
    /// Ours: removes a key, for either secret.
    public static let deleteKey = "deletekey"
    /// Ours: `GET` lists the keys of the access token's user, `DELETE …/{keyid}` removes one of them.
    public static let keys = "keys"

    /// The beginning of every path.
    public static let root = "/keyservice/v1/"
    /// What stands before ``root`` and a realm's name, for clients whose address names a realm.
    public static let realms = "/auth/realms/"
}
