/// A page for users: its template, its `data-page`, and the values to fill in.
///
/// All texts in it are untrusted; the templates escape them.
protocol Page: Sendable {
    static var template: PageTemplate { get }
    /// `data-page`, by which programs tell pages apart.
    static var name: String { get }
    /// What stands around it.
    static var layout: PageTemplate { get }
    /// Whether its layout is wide: it holds more than a form.
    static var isWide: Bool { get }
    /// Whether its script asks this server repeatedly whether something has happened.
    static var polls: Bool { get }
    /// Whether other pages of this server are shown in it.
    static var holdsFrames: Bool { get }
    /// Whether it may hold a button that begins a WebAuthn ceremony.
    var usesPasskeys: Bool { get }
    /// What it tells the user's device about passkeys.
    var signals: [PasskeySignal] { get }
    /// The origins that its form's answer may redirect to, besides this server.
    var redirectOrigins: [String] { get }
    /// The seconds after which it reloads where there are no scripts; `nil`: never.
    var refreshSeconds: Int? { get }
    /// The address of a style sheet of its own; `nil`: it has none.
    var stylesheet: String? { get }
    /// The address of a script of its own; `nil`: it has none.
    var script: String? { get }
    func title(_ strings: Strings) -> String
    func values(_ strings: Strings) -> [String: Any]
    /// The values for the menu beside it; `nil`: it has none.
    func navigation(_ strings: Strings) -> [String: Any]?
}

extension Page {
    static var layout: PageTemplate { PageTemplate.layout }
    static var isWide: Bool { false }
    static var polls: Bool { false }
    static var holdsFrames: Bool { false }
    var usesPasskeys: Bool { false }
    var signals: [PasskeySignal] { [] }
    var redirectOrigins: [String] { [] }
    var refreshSeconds: Int? { nil }
    var stylesheet: String? { nil }
    var script: String? { nil }
    func navigation(_ strings: Strings) -> [String: Any]? { nil }
}

/// A page with a form of this server. Browsers follow the form's answer to another place only if the page's policy names
/// it.
protocol FormPage: Page {
    var form: PageForm { get }
}

extension FormPage {
    var redirectOrigins: [String] { form.redirectOrigins }
}
