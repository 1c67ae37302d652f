/// Bounds of searches.
extension Limits {
    /// Values of one condition of a search: each is a parameter of the statement.
    public static let searchValuesMax = 500
    /// Sort keys of a search: each further one decides less.
    public static let sortKeysMax = 8
    /// Users of one page of the console.
    public static let usersListedMax = 50
    /// Counting the users that an operator looks for ends here: more pages than that are not leafed through.
    public static let usersCountedMax = 10_000
    /// The same where a text is looked for: each user is read for that.
    public static let usersMatchedMax = 1_000
}
