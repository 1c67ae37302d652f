internal import Authority
internal import Model

/// A page of the console: wide, with the menu of its sections. Named and titled like its section, if it does not say
/// otherwise.
protocol ConsolePage: Page {
    static var section: ConsoleSection { get }
    /// The signed-in operator.
    var visitor: ConsoleVisitor { get }
}

extension ConsolePage {
    static var name: String { section.pageName }
    static var isWide: Bool { true }
    static var layout: PageTemplate { PageTemplate.consoleLayout }
    // Its script fetches this page again, where people watch.
    static var polls: Bool { true }
    var stylesheet: String? { ConsoleAssets.stylesheet.path }
    var script: String? { ConsoleAssets.script.path }

    func title(_ strings: Strings) -> String { Self.section.title(strings) }

    func navigation(_ strings: Strings) -> [String: Any]? { visitor.navigation(at: Self.section, strings) }
}

/// The signed-in operator, and the links of the menu.
struct ConsoleVisitor: Sendable {
    let name: String
    let role: ConsoleRole

    /// Whether a page offers what the role may do.
    func may(_ role: ConsoleRole) -> Bool { self.role >= role }

    /// The values for the layout.
    fileprivate func navigation(at section: ConsoleSection, _ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleStrings.self]
        return [
            "label": text.title, "person": name, "role": text.role(role), "signOut": strings.signOut,
            "account": text.account, "menu": text.menu, "skip": text.skip,
            "sections": ConsoleSection.all.map { other in
                ["uri": other.path, "name": other.title(strings), "isCurrent": other.path == section.path]
            },
        ]
    }
}

/// The files that the pages of the console load.
enum ConsoleAssets {
    static let stylesheet = PageAsset(
        name: "console", ending: "css", contentType: "text/css; charset=utf-8",
        content: String(decoding: PackageResources.console_css, as: UTF8.self))
    static let script = PageAsset(
        name: "console", ending: "js", contentType: "text/javascript; charset=utf-8",
        content: String(decoding: PackageResources.console_js, as: UTF8.self))
    static let all = [stylesheet, script]
}
