/// One step of the schema.
struct Migration: Sendable {
    /// The same for all engines; a database knows the number of its last step.
    let number: Int
    /// In the engine's own form.
    let sql: String
}
