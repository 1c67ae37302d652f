public import Authority
public import Model

/// Only an owner may make this change.
public struct ConnectionDenial: Error, Hashable, Sendable {
    public let denial: Denial
    /// What an owner must say, by the keys of the configuration file; at least one.
    public let members: [String]

    /// One line for developers: what is refused, and what to do.
    public var sentence: String {
        "\(members.joined(separator: ", ")): an owner decides whom a provider may sign in. Ask one to make this change."
    }
}

/// Why a connection is not saved.
public struct ConnectionRefusal: Error, Hashable, Sendable {
    /// At least one.
    public let mistakes: [ConnectionMistake]

    public init(_ mistakes: [ConnectionMistake]) {
        self.mistakes = mistakes
    }
}
