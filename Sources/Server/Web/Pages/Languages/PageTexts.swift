internal import Mustache
internal import Texts

/// The texts of one page or of what several share, by the keys of their group in the languages' files.
///
/// A member reads its key (`var lead: String { texts["lead"] }`); a test compares the keys in these sources with those of
/// the files. Templates read texts without places by their key: `{{text.lead}}`, and lists (`points.first` to
/// `points.third`) by their name.
protocol PageTexts: MustacheParent, Sendable {
    /// The group in the files: `link` for `link.readyHeading.signIn`.
    static var group: String { get }
    var texts: TextGroup { get }

    init(texts: TextGroup)
}

extension PageTexts {
    init(_ table: TextTable) { self.init(texts: table.group(Self.group)) }

    func child(named name: String) -> Any? { texts.plain(name) ?? texts.list(name) }
}
