/// Compares the rows of both databases, column by column, in the order of their keys.
struct RowComparison {
    let source: any WholeDatabase
    let target: any WholeDatabase
    let pageRows: Int

    /// - Parameters:
    ///   - onDifference: called with each row that is not the same.
    ///   - onRows: called with the number of rows of the source that were compared since the last call.
    func compare(
        _ shape: RowShape, onDifference: (RowDifference) -> Void, onRows: (Int) throws -> Void
    ) throws {
        var originals = RowPages(shape, source, after: nil, pageRows: pageRows)
        var copies = RowPages(shape, target, after: nil, pageRows: pageRows)
        var original = try from { try originals.nextRow() }
        var copy = try to { try copies.nextRow() }
        var compared = 0
        while original != nil || copy != nil {
            let order = Self.order(original, copy, shape)
            if let difference = Self.difference(original, copy, order, shape) { onDifference(difference) }
            if order != .copyIsFirst {
                original = try from { try originals.nextRow() }
                compared += 1
            }
            if order != .originalIsFirst { copy = try to { try copies.nextRow() } }
            if compared == pageRows {
                try onRows(compared)
                compared = 0
            }
        }
        try onRows(compared)
    }

    private func from<Value>(_ body: () throws -> Value) throws -> Value {
        try source.answering(for: .from, body)
    }

    private func to<Value>(_ body: () throws -> Value) throws -> Value {
        try target.answering(for: .to, body)
    }

    private enum Order {
        case same, originalIsFirst, copyIsFirst
    }

    private static func order(_ original: CopiedRow?, _ copy: CopiedRow?, _ shape: RowShape) -> Order {
        guard let original else { return .copyIsFirst }
        guard let copy else { return .originalIsFirst }
        if original == copy { return .same }
        let (one, other) = (shape.key(of: original), shape.key(of: copy))
        if one == other { return .same }
        return one.lexicographicallyPrecedes(other) ? .originalIsFirst : .copyIsFirst
    }

    private static func difference(
        _ original: CopiedRow?, _ copy: CopiedRow?, _ order: Order, _ shape: RowShape
    ) -> RowDifference? {
        guard original != copy, let row = order == .copyIsFirst ? copy : original else { return nil }
        let reason =
            switch order {
            case .originalIsFirst: "is missing in TO"
            case .copyIsFirst: "is in TO alone"
            case .same:
                "differs in "
                    + shape.columns.indices.filter { original?.values[$0] != copy?.values[$0] }
                    .map { shape.columns[$0].name }.joined(separator: ", ")
            }
        return RowDifference(table: shape.table.name, key: shape.words(shape.key(of: row)), reason: reason)
    }
}
