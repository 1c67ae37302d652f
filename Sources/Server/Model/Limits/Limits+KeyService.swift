/// Bounds of the key service, with their reasons.
extension Limits {
    /// Wrong secrets in a row, after which a key is locked: a PIN of four digits is guessed with a chance of 3 in 10
    /// 000.
    public static let keyAttemptsMax: Int64 = 3
    /// Wrong secrets within ``keyGuessesSeconds``, after which a key is locked too, whatever was right in between: an
    /// attacker with a copy of the device's data guesses between its owner's own unlocks.
    public static let keyGuessesMax: Int64 = 50
    /// How long wrong secrets are remembered for that, in seconds: 30 days.
    public static let keyGuessesSeconds: Int64 = 30 * 86_400
    /// A PIN or a password, in bytes of UTF-8: as much as a password of this server.
    public static let keySecretBytesMax = 1_024
    /// A long secret as it is presented, in bytes; ours have 44.
    public static let longSecretBytesMax = 256
    /// The identifier of a key as it is presented, in bytes; ours have 22.
    public static let keyIDBytesMax = 64
    /// A request, in bytes: two secrets in which every character is escaped, and room for what is ignored.
    public static let keyRequestBytesMax = 16_384
    /// The name of a realm, in characters.
    public static let realmLengthMax = 64
    /// The name of a request that may be repeated, in bytes. Shorter ones are counters, and two devices would have the
    /// same.
    public static let idempotencyKeyBytes = 16...255
    /// A repeated request is recognised for so long, in seconds.
    public static let idempotencySeconds: Int64 = 86_400
    /// An attempt without a result for so long is over, in seconds: its server died. Checks wait for a thread for
    /// ``hashWaitMilliseconds`` at most.
    public static let keyAttemptSeconds: Int64 = 30
    /// A request waits so long for an attempt at another server, in seconds.
    public static let keyTurnSeconds: Int64 = 5
    /// Tries to write that a secret was right; each waits some seconds for the database by itself.
    public static let keyWritesMax = 4
    /// Requests that wait for another one about the same key.
    public static let keyWaitersMax = 8
    /// Requests that wait so, for all keys together.
    public static let keyWaitersOfAllMax = 256
    /// Attempts and new keys in the queue.
    public static let keyQueueMax = 512
    /// Attempts within an hour at one key, from the network where it was last opened: they do not count for the
    /// network.
    public static let keyAttemptsPerKeyMax: Int64 = 2_000
    /// Hashes of secrets that wait for a thread: few, because a user waits for each.
    public static let keyHashBacklogMax = 64
    /// Wrong guesses from one network within an hour, at any keys: thousands of telephones share one address.
    public static let keyGuessesPerNetworkMax: Int64 = 1_000
    /// Attempts from one network within an hour, right or wrong: each costs a hash, and an attacker knows the secrets
    /// of their own keys. Five a second, where a server does some forty on each core.
    public static let keyAttemptsPerNetworkMax: Int64 = 20_000
    /// Wrong long secrets for one key within an hour, before the answer is "too many". A right one always opens.
    public static let longSecretGuessesMax: Int64 = 100
    /// Keys that one network may make within an hour: each costs a hash and leaves a row.
    public static let keysMadePerNetworkMax: Int64 = 300
    /// Keys that one user may make within an hour; they are not counted for the network.
    public static let keysMadePerUserMax: Int64 = 30
    /// Keys of one user that one app keeps; a new one replaces the least recently used one.
    public static let keysPerOwnerMax = 50
    /// Keys in one list.
    public static let keysListedMax = 500
    /// A key that was never opened is removed after so long, in seconds: 90 days.
    public static let keyNeverUsedSeconds: Int64 = 90 * 86_400
    /// The window in which attempts and keys are counted, in seconds.
    public static let keyWindowSeconds: Int64 = 3_600
}
