internal import KeyturnBase
internal import Mustache

/// Fills templates, which are compiled into the program: one binary, no missing files.
struct PageRenderer: Sendable {
    /// Parsed when the first page is shown. The tests show every page.
    private static let library: MustacheLibrary = {
        do {
            return MustacheLibrary(
                templates: Dictionary(
                    uniqueKeysWithValues: try PageTemplate.all.map {
                        ($0.name, try MustacheTemplate(string: $0.source))
                    }
                ))
        } catch { preconditionFailure("a template that is compiled in is broken: \(error)") }
    }()

    /// The operator's look; `nil`: the built-in one.
    let theme: PageTheme?
    /// The looks of journeys that have one, by their names.
    private let themes: [String: PageTheme]

    static let stylesheet = PageAsset(
        name: "keyturn", ending: "css", contentType: "text/css; charset=utf-8",
        content: String(decoding: PackageResources.keyturn_css, as: UTF8.self))
    static let script = PageAsset(
        name: "keyturn", ending: "js", contentType: "text/javascript; charset=utf-8",
        content: String(decoding: PackageResources.keyturn_js, as: UTF8.self))
    /// Loaded only by pages that use passkeys.
    static let passkeyScript = PageAsset(
        name: "passkey", ending: "js", contentType: "text/javascript; charset=utf-8",
        content: String(decoding: PackageResources.passkey_js, as: UTF8.self))
    /// Loaded only by pages of flows.
    static let flowScript = PageAsset(
        name: "flow", ending: "js", contentType: "text/javascript; charset=utf-8",
        content: String(decoding: PackageResources.flow_js, as: UTF8.self))
    static let assets = [stylesheet, script, passkeyScript, flowScript]

    init(theme: Theme? = nil, themes: [String: Theme] = [:]) {
        self.theme = theme.map(PageTheme.init)
        self.themes = themes.mapValues(PageTheme.init)
    }

    /// The look of a journey; the server's if it has none.
    func theme(of journey: String?) -> PageTheme? { journey.flatMap { themes[$0] } ?? theme }

    /// Of all looks, each once.
    var themeAssets: [PageAsset] {
        let all = [theme].compactMap(\.self) + themes.sorted { $0.key < $1.key }.map(\.value)
        return all.flatMap(\.assets).reduce(into: []) { assets, asset in
            if !assets.contains(where: { $0.path == asset.path }) { assets.append(asset) }
        }
    }

    /// The whole page. Every value is escaped, except the rendered content of the page itself.
    func html(_ page: some Page, look: PageLook) -> String {
        let strings = look.language.strings
        let kind = type(of: page)
        let theme = theme(of: look.journey)
        let content = Self.library.render(page.values(strings), withTemplate: kind.template.name) ?? ""
        var values: [String: Any] = [
            "language": look.language.code, "direction": look.language.direction, "theme": look.colorScheme.rawValue,
            "schemes": look.colorScheme == .system ? "light dark" : look.colorScheme.rawValue,
            "title": page.title(strings), "project": look.projectName, "stylesheet": Self.stylesheet.path,
            "script": Self.script.path, "page": kind.name, "width": kind.isWide ? "wide" : "narrow",
            "content": content, "footer": strings.footer,
        ]
        values["refreshSeconds"] = page.refreshSeconds
        values["signals"] = page.signals.map(\.values)
        if page.usesPasskeys || !page.signals.isEmpty { values["passkeyScript"] = Self.passkeyScript.path }
        values["stylesheets"] = [theme?.stylesheet.path, page.stylesheet].compactMap(\.self)
        values["ownScript"] = page.script
        values["logo"] = theme?.logo(look)
        values["name"] = theme?.showsName == false ? nil : look.projectName
        values["navigation"] = page.navigation(strings)
        values["flow"] = look.flow?.values(script: Self.flowScript)
        return Self.library.render(values, withTemplate: kind.layout.name) ?? ""
    }

    /// What the page may load, and where its forms may lead: this server, and the client's addresses that its answer
    /// goes to (browsers apply `form-action` to redirects as well).
    static func contentSecurityPolicy(for page: some Page) -> String {
        let targets = page.redirectOrigins.compactMap(source)
        // Pictures: QR codes are part of the page. Connections: only if the page polls.
        let connections = type(of: page).polls ? ["connect-src 'self'"] : []
        let sources = ["default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self' data:"]
        let frames = type(of: page).holdsFrames ? ["frame-src 'self'"] : []
        return
            (sources + connections + frames + [
                "form-action \((["'self'"] + targets).joined(separator: " "))", "frame-ancestors 'none'",
                "base-uri 'none'",
            ]).joined(separator: "; ")
    }

    /// The source expression of an address: its origin, or the scheme of an app's own. `nil` if it holds characters
    /// that could change the header.
    private static func source(_ uri: String) -> String? {
        guard let parts = URIParts(uri) else { return nil }
        return parts.isWeb ? parts.origin : "\(parts.scheme):"
    }
}
