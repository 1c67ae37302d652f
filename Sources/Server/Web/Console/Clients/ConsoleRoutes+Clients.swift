internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

extension ConsoleSection {
    static let clients: ConsoleSection = .init(
        path: "/admin/clients", title: { $0[ConsoleClientsStrings.self].title },
        routes: { routes in
            [
                routes.page(.clients, routes.showClients),
                routes.page(.clients, at: ConsoleRoutes.clientPath, routes.showClient),
                routes.form(.clients, at: ConsoleRoutes.clientPath, for: .changeClient, routes.changeClient),
                routes.page(.clients, at: ConsoleRoutes.newClientPath, for: .changeClient, routes.showNewClient),
                routes.form(.clients, at: ConsoleRoutes.newClientPath, for: .changeClient, routes.createClient),
                routes.page(.clients, at: ConsoleRoutes.editClientPath, for: .changeClient, routes.showClientEdit),
                routes.form(.clients, at: ConsoleRoutes.editClientPath, for: .changeClient, routes.editClient),
            ]
        })
}

/// `/admin/clients`: the applications that may ask for tokens.
extension ConsoleRoutes {
    static let clientPath = "/admin/clients/client"
    static let newClientPath = "/admin/clients/new"
    static let editClientPath = "/admin/clients/edit"
    private static let clientsOfPage = 50

    private var managedClients: ManagedClients { services.managedClients }

    @Sendable func showClients(_ opened: ConsoleRequest) async throws -> Response {
        let query = opened.trimmed("q")
        let part = query.lowercased()
        let found = managedClients.all().filter { client in
            part.isEmpty || client.id.lowercased().contains(part) || client.name.lowercased().contains(part)
        }
        let page = min(opened.pageNumber, max(0, (found.count - 1) / Self.clientsOfPage))
        let shown = found.dropFirst(page * Self.clientsOfPage).prefix(Self.clientsOfPage)
        return frame.page(
            ConsoleClientsPage(
                visitor: frame.visitor(opened), query: query, clients: shown.map(facts),
                pager: ConsolePager(
                    path: ConsoleSection.clients.path, query: query.isEmpty ? [] : [(name: "q", value: query)],
                    page: page, size: Self.clientsOfPage, total: found.count),
                notice: opened.done == "removed" ? .removed : nil),
            opened)
    }

    @Sendable func showClient(_ opened: ConsoleRequest) async throws -> Response {
        try await clientPage(opened, notice: opened.done.flatMap(ConsoleClientPage.Notice.init))
    }

    @Sendable func changeClient(_ form: ConsoleForm) async throws -> Response {
        let id = form.value("id") ?? ""
        do {
            switch form.action {
            case "rotate":
                let secret = try await managedClients.rotateSecret(
                    of: id, keepsOld: form.value("keep_old") != nil, by: form.actor)
                return try await secretPage(form.request, try await managedClients.find(id), secret, isNew: false)
            case "remove":
                guard form.value("confirmation") == id else {
                    return try await clientPage(form.request, problem: .confirmation)
                }
                try await managedClients.remove(id, by: form.actor)
                return frame.done("removed", at: ConsoleSection.clients.path)
            default:
                return frame.done(nil, at: Self.clientPath, ["id": id])
            }
        } catch Denial.missing(.owner) {
            let text = form.request.strings[ConsoleClientFormStrings.self].ownerNeeded
            return try await clientPage(form.request, problem: .refused(text), status: .forbidden)
        } catch let problem as MethodProblem {
            return try await clientPage(form.request, problem: .refused(problem.message ?? problem.description))
        }
    }

    @Sendable func showNewClient(_ opened: ConsoleRequest) async throws -> Response {
        newClientPage(opened, ClientDraft(id: ""))
    }

    @Sendable func createClient(_ form: ConsoleForm) async throws -> Response {
        let opened = form.request
        var draft = ClientDraft(id: opened.trimmed("client_id"))
        read(opened, into: &draft)
        draft.authenticationMethod =
            opened.value("kind") == "public" ? ClientAuthenticationMethod.none : .clientSecretBasic
        draft.isFirstParty = opened.value("first_party") != nil
        do {
            let made = try await managedClients.create(draft, by: form.actor)
            guard let secret = made.secret else {
                return frame.done("registered", at: Self.clientPath, ["id": made.client.id])
            }
            return try await secretPage(opened, made.client, secret, isNew: true)
        } catch let refusal as ClientRefusal {
            return newClientPage(opened, draft, mistakes: refusal.mistakes)
        } catch Denial.missing(.owner) {
            return newClientPage(opened, draft, needsOwner: true)
        }
    }

    @Sendable func showClientEdit(_ opened: ConsoleRequest) async throws -> Response {
        let client = try await found(opened)
        guard !client.isFromConfiguration else { return frame.done(nil, at: Self.clientPath, ["id": client.id]) }
        return editPage(opened, ClientDraft(client))
    }

    @Sendable func editClient(_ form: ConsoleForm) async throws -> Response {
        let opened = form.request
        let id = opened.value("id") ?? ""
        var typed = ClientDraft(try await found(opened))
        do {
            _ = try await managedClients.change(id, by: form.actor) { draft in
                read(opened, into: &draft)
                typed = draft
            }
            return frame.done("changed", at: Self.clientPath, ["id": id])
        } catch let refusal as ClientRefusal {
            return editPage(opened, typed, mistakes: refusal.mistakes)
        } catch Denial.missing(.owner) {
            return editPage(opened, typed, needsOwner: true)
        } catch let problem as MethodProblem {
            return try await clientPage(opened, problem: .refused(problem.message ?? problem.description))
        }
    }

    /// What the forms of a new client and of one that is there have in common.
    private func read(_ opened: ConsoleRequest, into draft: inout ClientDraft) {
        let name = opened.trimmed("client_name")
        draft.name = name.isEmpty ? nil : name
        draft.redirectURIs = opened.lines("redirect_uris")
        draft.postLogoutRedirectURIs = opened.lines("post_logout_redirect_uris")
        draft.grantTypes = opened.fields.values("grant_types").filter { !$0.isEmpty }
        let scope = opened.value("scope")?.split(whereSeparator: \.isWhitespace).joined(separator: " ") ?? ""
        draft.scope = scope.isEmpty ? nil : scope
    }

    private func found(_ opened: ConsoleRequest) async throws -> Client {
        do {
            return try await managedClients.find(opened.value("id") ?? "")
        } catch is MethodProblem {
            throw Refused(frame.done(nil, at: ConsoleSection.clients.path))
        }
    }

    private func facts(_ client: Client) -> ConsoleClientFacts {
        ConsoleClientFacts(client, registeredSecondsAgo: client.registration.map { frame.age($0.registeredAt) })
    }

    private func clientPage(
        _ opened: ConsoleRequest, notice: ConsoleClientPage.Notice? = nil, problem: ConsoleClientPage.Problem? = nil,
        status: HTTPResponse.Status? = nil
    ) async throws -> Response {
        let client = try await found(opened)
        let page = ConsoleClientPage(
            visitor: frame.visitor(opened), form: frame.form(opened), facts: facts(client),
            metadata: try ClientDocument.metadata(client), liveGrants: try await managedClients.liveGrants(of: client),
            trial: ClientTrial(client, issuer: services.project.issuer, ambient: services.ambient),
            streams: try await SignalStreamState.all(of: client.id, services.stores),
            problem: problem, notice: notice)
        return frame.page(page, opened, status: status ?? (problem == nil ? .ok : .unprocessableContent))
    }

    private func newClientPage(
        _ opened: ConsoleRequest, _ draft: ClientDraft, mistakes: [ClientMistake] = [], needsOwner: Bool = false
    ) -> Response {
        formPage(opened, draft, isNew: true, mistakes, needsOwner)
    }

    private func editPage(
        _ opened: ConsoleRequest, _ draft: ClientDraft, mistakes: [ClientMistake] = [], needsOwner: Bool = false
    ) -> Response {
        formPage(opened, draft, isNew: false, mistakes, needsOwner)
    }

    private func formPage(
        _ opened: ConsoleRequest, _ draft: ClientDraft, isNew: Bool, _ mistakes: [ClientMistake], _ needsOwner: Bool
    ) -> Response {
        let page = ConsoleClientFormPage(
            visitor: frame.visitor(opened), form: frame.form(opened), draft: draft, isNew: isNew, mistakes: mistakes,
            needsOwner: needsOwner)
        return frame.page(
            page, opened, status: needsOwner ? .forbidden : mistakes.isEmpty ? .ok : .unprocessableContent)
    }

    private func secretPage(_ opened: ConsoleRequest, _ client: Client, _ secret: Secret, isNew: Bool) async throws
        -> Response
    {
        let page = ConsoleClientSecretPage(
            visitor: frame.visitor(opened), id: client.id, name: client.name, secret: secret, isNew: isNew,
            keepsOld: client.secretDigests.count > 1)
        return frame.page(page, opened)
    }
}

extension ConsoleRequest {
    /// A field without the blanks around it.
    func trimmed(_ name: String) -> String {
        let text = value(name) ?? ""
        return String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// The lines of a field that are not empty, without the blanks around them.
    fileprivate func lines(_ name: String) -> [String] {
        (value(name) ?? "").split(whereSeparator: \.isNewline).map { line in
            String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        }.filter { !$0.isEmpty }
    }
}
