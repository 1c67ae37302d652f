/// The bounds within which users are brought in.
enum ImportLimits {
    /// Longest row, in bytes: a user with every claim and attribute that the server takes, twice over.
    static let rowBytesMax = 131_072
    /// Read from the file at a time, in bytes.
    static let chunkBytes = 262_144
    /// Rows in one transaction: few enough that a running server does not notice.
    static let batchRowsMax = 500
    /// Bytes of rows in one transaction, so that memory stays bounded whatever the rows hold.
    static let batchBytesMax = 4_194_304
    /// Columns of a CSV file.
    static let columnsMax = 256
    /// Deepest nesting of a row.
    static let depthMax = 12
    /// Members of one object or array of a row.
    static let membersMax = 512
    /// Refusals that are shown; the others are counted, and are in the report.
    static let refusalsShownMax = 20
    /// Longest claim, in bytes.
    static let textBytesMax = 4_096
    /// Clear-text passwords hashed at the same time, for each core.
    static let hashesPerCore = 2
}
