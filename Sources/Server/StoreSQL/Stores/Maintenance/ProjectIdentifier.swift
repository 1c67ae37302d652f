package import Model

/// The identifier of the project, which apps and their tokens name.
extension SQLDatabase {
    /// Sets and returns the project's identifier: the one of the configuration, otherwise the stored one, and if there
    /// is none, `fresh`. Two servers that start at the same time get the same one.
    ///
    /// - Throws: ``StoreError``.
    package func projectID(configured: String?, fresh: String) async throws(StoreError) -> String {
        try await write(.guarded) { db in
            let conflict =
                configured == nil
                ? "DO NOTHING" : "DO UPDATE SET id = excluded.id WHERE project.id <> excluded.id"
            try db.run(
                """
                INSERT INTO project ("only", id) VALUES (1, ?) ON CONFLICT ("only") \(conflict)
                """, [configured ?? fresh])
            guard let id = try db.first("SELECT id FROM project", [])?["id"] as String? else {
                throw StoreError(.unavailable)
            }
            return id
        }
    }
}
