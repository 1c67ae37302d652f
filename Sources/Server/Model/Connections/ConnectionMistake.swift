/// What is wrong with a connection: the configuration file's check, the command line and the management interface say
/// it in these words.
public struct ConnectionMistake: Hashable, Sendable {
    /// The key of the configuration file, such as `issuer`, `domains[0]` or `parameters.team_id`.
    public let member: String
    /// What is wrong, without a final stop.
    public let why: String
    /// What to do about it, as a whole sentence.
    public let remedy: String

    public init(_ member: String, _ why: String, _ remedy: String) {
        self.member = member
        self.why = why
        self.remedy = remedy
    }

    /// The same about another member.
    public func about(_ member: String) -> ConnectionMistake { ConnectionMistake(member, why, remedy) }

    /// One line.
    public var sentence: String { "\(member): \(why). \(remedy)" }
}
