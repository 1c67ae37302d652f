/// Something is done; the page says so and shows the way on.
struct DonePage: Page {
    enum Kind: Sendable, CaseIterable {
        /// The user confirmed a link: the window where the sign-in began continues by itself.
        case linkConfirmed
        /// The user refused a link: no sign-in happened.
        case linkRefused
        case addressVerified, passwordChanged, accountDeleted, cancelled
        /// The removal of a second factor was cancelled: it stays.
        case recoveryCancelled
        /// An operator tried a connection: the result is where the trial began.
        case connectionTried
    }

    /// A link to continue with.
    struct Way: Sendable {
        let uri: String
        /// The app whose page it is; `nil`: this server's own settings.
        let appName: String?
    }

    static let template = PageTemplate.done
    static let name = "done"
    let kind: Kind
    let way: Way?

    func title(_ strings: Strings) -> String { strings[DoneStrings.self].heading(kind) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[DoneStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.lead(kind),
            "isGood": [.linkConfirmed, .addressVerified, .passwordChanged, .recoveryCancelled].contains(kind),
        ]
        values["way"] = way.map { way in
            [
                "uri": way.uri, "style": kind == .passwordChanged ? "primary" : "way",
                "label": kind == .linkRefused ? text.changePassword : strings.onward(way.appName),
            ]
        }
        return values
    }
}
