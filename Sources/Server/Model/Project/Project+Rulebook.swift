public import Authority

extension Project {
    /// The rules of this project.
    public var rulebook: Rulebook { Rulebook(authority) }
}
