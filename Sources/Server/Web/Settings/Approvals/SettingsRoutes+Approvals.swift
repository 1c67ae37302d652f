internal import Authority
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

extension SettingsSection {
    static let approvals: SettingsSection = .init(
        path: Routes.settingsApprovals, title: { $0[ApprovalsStrings.self].title },
        card: { overview, strings in
            let count = overview.summary.approvals
            let summary = strings[ApprovalsStrings.self].count(count)
            return Card(summary: summary, badge: count > 0 ? String(count) : nil)
        },
        act: .approveSignIn,
        routes: { routes in
            let path = Routes.settingsApprovals
            return [
                Route(
                    .get, path, routes.frame.signedInPage(path, of: .approvals), isPage: true,
                    handler: routes.showApprovals),
                Route(
                    .post, path, routes.frame.recentForm(path, of: .approvals), isPage: true,
                    handler: routes.decideApproval),
            ]
        },
        isConfigured: { services in
            services.clients.hasBackchannelClient || services.methods.offers(Approvals.self)
        })
}

/// `/settings/approvals`: sign-ins on other devices, allowed with the number that the other device shows, or refused.
extension SettingsRoutes {
    @Sendable func showApprovals(_ opened: OpenedSettings) async throws -> Response {
        try await approvalsPage(opened, nil)
    }

    private func approvalsPage(
        _ opened: OpenedSettings, _ problem: SettingsApprovalsPage.Problem?
    ) async throws -> Response {
        let waiting = try await frame.services.backchannel.waiting(for: opened.owner.userID)
        let page = SettingsApprovalsPage(
            form: frame.form(opened), settingsUser: opened.settingsUser,
            items: waiting.map { waiting in
                let request = waiting.request
                return SettingsApprovalsPage.Item(
                    id: request.name, clientName: waiting.name, message: request.bindingMessage,
                    scopes: request.scope.names, claims: waiting.claims,
                    resources: frame.services.clients.named(waiting.resources), network: request.network,
                    device: request.device,
                    isSession: request.purpose == .session, secondsAgo: frame.age(request.createdAt))
            }, notice: opened.done.flatMap(SettingsApprovalsPage.Notice.init(rawValue:)), problem: problem)
        return frame.page(page, opened, status: problem == nil ? .ok : .unprocessableContent)
    }

    @Sendable func decideApproval(_ posted: RecentForm) async throws -> Response {
        let service = frame.services.backchannel
        let approver = Approver(posted.owner.session)
        let id = try posted.one("id") ?? ""
        guard let waiting = try await service.waiting(id, for: posted.owner.userID) else {
            return try await approvalsPage(posted.opened, .tooLate)
        }
        let request = waiting.request
        guard posted.action == "allow" else {
            // Every other value means no.
            let isUnknown = posted.action == "unknown"
            let decision = try await service.deny(
                request, isUnknown: isUnknown, by: approver, from: posted.owner.address)
            return try await after(decision, isUnknown ? .blocked : .denied, posted)
        }
        guard try await !service.needsFactor(request, approver) else { return stepUp(posted) }
        let typed = (try posted.one("number") ?? "").filter { !$0.isWhitespace }
        guard typed.utf8.count == 2, let number = Int64(typed), number >= 10 else {
            return try await approvalsPage(posted.opened, .noNumber)
        }
        let decision = try await service.allow(
            waiting, number: number, shown: try posted.form.words("claims"), by: approver, from: posted.owner.address)
        return try await after(decision, .allowed, posted)
    }

    private func after(
        _ decision: BackchannelDecision, _ notice: SettingsApprovalsPage.Notice, _ posted: RecentForm
    ) async throws -> Response {
        switch decision {
        case .made: frame.done(notice.rawValue, at: Routes.settingsApprovals)
        case .wrongNumber: try await approvalsPage(posted.opened, .wrongNumber)
        case .tooLate: try await approvalsPage(posted.opened, .tooLate)
        case .signedOut: frame.signIn(.approvals, posted.opened.wish)
        }
    }

    /// Through the sign-in pages for a second factor, and back to the page.
    private func stepUp(_ posted: RecentForm) -> Response {
        let wish = posted.opened.wish
        let transaction = frame.services.authorization.transaction(
            to: Routes.settingsApprovals, as: posted.owner.userID, needsSeveralFactors: true,
            uiLocales: wish.language, colorScheme: wish.colorScheme?.rawValue)
        return .seeOther("\(Routes.login)?transaction=\(frame.checks.sealed(transaction))")
    }
}
