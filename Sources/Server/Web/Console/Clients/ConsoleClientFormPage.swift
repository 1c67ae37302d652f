internal import Authority
internal import Account
internal import KeyturnWire
internal import Model
internal import Texts

/// The form of a new client, or of one that is there.
struct ConsoleClientFormPage: ConsolePage {
    static let template = PageTemplate.consoleClientForm
    static let section = ConsoleSection.clients
    let visitor: ConsoleVisitor
    let form: PageForm
    /// What was typed.
    let draft: ClientDraft
    let isNew: Bool
    var mistakes: [ClientMistake] = []
    /// Whether what was typed is an owner's to say.
    var needsOwner = false

    func title(_ strings: Strings) -> String {
        let text = strings[ConsoleClientFormStrings.self]
        return isNew ? text.newTitle : text.editTitle(draft.name ?? draft.id)
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleClientFormStrings.self]
        let clients = strings[ConsoleClientsStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "isNew": isNew, "id": draft.id, "name": draft.name ?? "",
            "redirectURIs": draft.redirectURIs.joined(separator: "\n"),
            "logoutURIs": draft.postLogoutRedirectURIs.joined(separator: "\n"), "scope": draft.scope ?? "",
            "isPublic": draft.isPublic, "isFirstParty": draft.isFirstParty, "kindName": clients.kind,
            "publicKind": clients.publicKind, "confidentialKind": clients.confidentialKind, "idName": clients.id,
            "nameName": clients.name, "grantTypesName": clients.grantTypes,
            "grants": draft.knownGrantTypes.enumerated().map { index, name in
                [
                    "number": String(index), "value": name, "name": clients.grantType(name),
                    "isChosen": draft.grantTypes.contains(name),
                ] as [String: Any]
            },
            "submit": isNew ? text.register : strings[ConsoleStrings.self].save,
            "back": isNew
                ? ConsoleSection.clients.path : ConsoleMiddleware.address(ConsoleRoutes.clientPath, ["id": draft.id]),
            "cancel": strings.cancel,
        ]
        for (key, member) in Self.places {
            let found = mistakes.filter { $0.member == member }
            if !found.isEmpty { values[key] = ["sentences": found.map { sentence($0, text, clients) }] }
        }
        if !mistakes.isEmpty { values["problem"] = text.mistakes(mistakes.count) }
        if needsOwner { values["problem"] = text.ownerNeeded }
        if !visitor.may(.owner) { values["ownersPart"] = text.ownersPart }
        return form.values(values)
    }

    /// Where a mistake is shown, and the member that it is about.
    private static let places = [
        "idProblem": "client_id", "nameProblem": "client_name", "redirectProblem": "redirect_uris",
        "logoutProblem": "post_logout_redirect_uris", "grantProblem": "grant_types", "scopeProblem": "scope",
        "methodProblem": "token_endpoint_auth_method", "profileProblem": "profile",
    ]

    private func sentence(
        _ mistake: ClientMistake, _ text: ConsoleClientFormStrings, _ clients: ConsoleClientsStrings
    ) -> String {
        switch mistake {
        case .identifier: text.mistake.identifier
        case .identifierTaken: text.mistake.identifierTaken
        case .identifierIsAddress: text.mistake.identifierIsAddress
        case .name: text.mistake.name
        case .redirectURI(let uri, let flaw), .postLogoutRedirectURI(let uri, let flaw):
            "\(uri): \(text.mistake.flaw(flaw))"
        case .redirectURIMissing: text.mistake.addressMissing
        case .tooManyRedirectURIs, .tooManyPostLogoutRedirectURIs:
            text.mistake.tooMany(ClientDraft.addressesMax)
        case .grantTypeMissing: text.mistake.grantMissing
        case .grantType(let name): text.mistake.grantUnknown(name)
        case .needsAuthentication(let name): text.mistake.needsAuthentication(clients.grantType(name))
        case .needsKeys(let name): text.mistake.needsKeys(clients.grantType(name))
        case .scope: text.mistake.scope
        case .authenticationMethod: text.mistake.method
        case .profileNeedsOwnPublicClient: text.mistake.profile
        case .profileNeedsRefreshToken: text.mistake.profileRefresh
        case .profileLacksScope(let name): text.mistake.profileScope(name)
        }
    }
}
