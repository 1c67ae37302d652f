internal import Model

extension Identifier {
    /// How it may be stored: kind and value. An address of an international domain has a former spelling as well.
    var spellings: [(kind: String, value: String)] {
        ([value] + [formerSpelling].compactMap(\.self)).map { (kind.rawValue, $0) }
    }
}
