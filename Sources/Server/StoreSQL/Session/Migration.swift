/// One step of the schema.
struct Migration: Sendable {
    /// The same for all engines; a database knows the number of its last step.
    let number: Int
    /// The oldest schema whose servers can go on beside this step's: what they know is still there, and means the same.
    let oldest: Int
    /// In the engine's own form.
    let sql: String

    /// - Parameter oldest: `nil`: servers of earlier schemas must be stopped first.
    init(number: Int, oldest: Int? = nil, sql: String) {
        self.number = number
        self.oldest = oldest ?? number
        self.sql = sql
    }
}

/// What a database says about its schema.
package struct SchemaVersion: Hashable, Sendable {
    /// The last step that was taken; 0 in an empty database.
    package let number: Int
    /// The oldest schema whose servers may use it.
    package let oldest: Int
}
