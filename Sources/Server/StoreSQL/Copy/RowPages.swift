/// The rows of a table in the order of their keys, read page by page: one page is in memory.
struct RowPages {
    private let shape: RowShape
    private let database: any WholeDatabase
    private let pageRows: Int
    private let first: String
    private let next: String
    private var page: [CopiedRow] = []
    private var position = 0
    private var last: [CopiedValue]?
    private var isAtEnd = false

    /// - Parameter key: rows up to this one are passed over; `nil`: none.
    init(_ shape: RowShape, _ database: any WholeDatabase, after key: [CopiedValue]?, pageRows: Int) {
        self.shape = shape
        self.database = database
        self.pageRows = pageRows
        last = key
        let values = shape.columns.map { column in
            column.type == .text ? database.bytes(ofText: "\"\(column.name)\"") : "\"\(column.name)\""
        }
        let key = shape.keyColumns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let places = shape.keyColumns.map { _ in "?" }.joined(separator: ", ")
        let head = "SELECT \(values.joined(separator: ", ")) FROM \(shape.quotedName)"
        let tail = "ORDER BY \(key) LIMIT ?"
        first = "\(head) \(tail)"
        next = "\(head) WHERE (\(key)) > (\(places)) \(tail)"
    }

    /// The rest of the page, or the next one; empty behind the last row.
    mutating func nextPage() throws -> [CopiedRow] {
        if position == page.count { try load() }
        defer { position = page.count }
        return Array(page[position...])
    }

    /// The next row; `nil` behind the last one.
    mutating func nextRow() throws -> CopiedRow? {
        if position == page.count { try load() }
        guard position < page.count else { return nil }
        defer { position += 1 }
        return page[position]
    }

    private mutating func load() throws {
        (page, position) = ([], 0)
        guard !isAtEnd else { return }
        page = try read()
        isAtEnd = page.count < pageRows
        if let row = page.last { last = shape.key(of: row) }
    }

    private func read() throws -> [CopiedRow] {
        guard let last else { return try database.session.all(first, [pageRows]).map(shape.row) }
        return try database.session.all(next, try shape.parameters(last) + [pageRows]).map(shape.row)
    }
}
