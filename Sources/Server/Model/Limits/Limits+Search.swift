/// Bounds of searches.
extension Limits {
    /// Values of one condition of a search: each is a parameter of the statement.
    public static let searchValuesMax = 500
    /// Fields that a search puts users in order by: each further one decides less.
    public static let sortKeysMax = 8
}
