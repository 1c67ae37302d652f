/// The bounds within which a configuration is read.
enum ConfigurationLimits {
    /// A shared secret below so many bytes is refused: all of them are tried out in no time. Six, since programs that drive this
    /// server in tests use words such as `secret`, and those are warned of.
    static let sharedSecretBytesMin = 6
    /// From so many bytes on a shared secret is warned of no more: 32 random bytes take 44 in base64.
    static let sharedSecretBytesGood = 32
    /// Largest file, in bytes: some ten thousand clients.
    static let fileBytesMax = 4 * 1024 * 1024
    /// Deepest nesting. The deepest key of ours is at 7; the rest is for custom claims.
    static let depthMax = 24
    /// Most values in one file.
    static let nodesMax = 500_000
    /// Most mistakes, and most warnings, that are collected; a file with more of them has one cause.
    static let problemsMax = 200
    /// Most texts that look like YAML aliases, in a file that has anything that looks like an anchor. A document
    /// with this many real ones expands to at most a few hundred thousand values before it is refused.
    static let aliasesMax = 32
    /// Longest text of one value, in bytes.
    static let textBytesMax = 4096
    /// Longest name or identifier, in bytes.
    static let nameBytesMax = 255
    /// Longest password or client secret, in bytes.
    static let secretBytesMax = 512
    /// Longest address, in bytes.
    static let uriBytesMax = 2048
    /// Most secret keys of a relying party: the one that goes, and the one that comes.
    static let secretKeysMax = 2
    /// How long a server with PostgreSQL says that it is stopping before it does, in seconds: longer than a balancer
    /// takes to notice.
    static let drainSeconds = 10
    /// Most actions of such a program.
    static let auditActionsMax = 100
    /// How long audit events are kept: a month, in which attacks are found, to ten years.
    static let auditRetentionDays = 30...3_650
    /// Most programs that get the audit log: each reads it on its own.
    static let auditStreamsMax = 16
    /// Most sealing keys.
    static let sealingKeysMax = 16
    /// Longest lifetime of anything, in seconds: ten years.
    static let lifetimeSecondsMax = 315_360_000
    /// Access tokens shorter than this make clients refresh all the time; longer ones cannot be called short-lived.
    static let accessTokenSeconds = 30...86_400
    /// Passwords that last: a week to ten years.
    static let expirationWeeks = 1...520
    /// Fewer wrong passwords than people type by mistake lock out whom they should protect.
    static let lockAttempts = 3...100
    /// How long a lock lasts, in seconds: up to a day.
    static let lockSeconds = 1...86_400
    /// Hours in which a user may cancel the removal of a lost second factor: up to 30 days.
    static let recoveryDelayHours = 1...720
    /// Days after which an unused data key goes: fewer than a holiday would lock people out; ten years are for ever.
    static let keyUnusedDays = 30...3_650
    /// Most realms of the key service that are named.
    static let realmsMax = 1_000
    /// How long a client's assertions may be good, in seconds: below ten, clocks that differ refuse them; each is
    /// remembered until then.
    static let assertionSeconds = 10...3_600
    /// An idle time below a minute signs people out while they read.
    static let refreshTokenSecondsMin = 60
}
