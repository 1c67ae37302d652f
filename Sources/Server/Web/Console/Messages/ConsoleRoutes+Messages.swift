internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import NIOCore

extension ConsoleSection {
    static let messages: ConsoleSection = .init(
        path: "/admin/messages", title: { $0[ConsoleMessagesStrings.self].title },
        routes: { routes in
            [
                routes.page(.messages, routes.showMessages),
                routes.form(.messages, for: .handleMessages, routes.changeMessages),
                routes.page(.messages, at: ConsoleRoutes.previewPath, routes.showPreview),
                routes.page(.messages, at: ConsoleRoutes.mailPath, routes.showMail),
            ]
        })
}

/// `/admin/messages`: what waits to be sent, what was given up, and what messages say.
extension ConsoleRoutes {
    static let previewPath = "/admin/messages/preview"
    static let mailPath = "/admin/messages/mail"
    /// Counting the messages that wait ends here.
    private static let queueMax = 10_000

    @Sendable func showMessages(_ opened: ConsoleRequest) async throws -> Response {
        try await messagesPage(opened, notice: opened.done.flatMap(ConsoleMessagesPage.Notice.init))
    }

    @Sendable func changeMessages(_ form: ConsoleForm) async throws -> Response {
        let path = ConsoleSection.messages.path
        let managed = services.managedMessages
        switch form.action {
        case "test":
            let (channel, address) = (form.value("channel") ?? "", form.request.trimmed("to"))
            do {
                _ = try await managed.sendTest(
                    to: address, by: channel, in: form.value("locale"), by: form.actor)
                return frame.done("queued", at: path)
            } catch is MethodProblem {
                return try await messagesPage(form.request, typed: (channel, address, form.value("locale") ?? ""))
            }
        case "retry":
            let isHastened = try await managed.retry(form.value("id") ?? "", by: form.actor)
            return frame.done(isHastened ? "retried" : "gone", at: path)
        default:
            return frame.done(nil, at: path)
        }
    }

    private func messagesPage(
        _ opened: ConsoleRequest, typed: (channel: String, to: String, locale: String)? = nil,
        notice: ConsoleMessagesPage.Notice? = nil
    ) async throws -> Response {
        let lengths = try await services.stores.maintenance.queueLengths(upTo: Self.queueMax)
        let page = ConsoleMessagesPage(
            visitor: frame.visitor(opened), form: frame.form(opened), waitingCount: lengths.messages,
            waiting: try await services.managedMessages.waiting(),
            dead: try await services.managedMessages.deadLetters(),
            channels: DeliveryMethod.allCases.filter(channels.contains), languages: languages,
            canPreview: previews != nil, now: services.ambient.now(), typed: typed, notice: notice)
        return frame.page(page, opened, status: typed == nil ? .ok : .unprocessableContent)
    }

    @Sendable func showPreview(_ opened: ConsoleRequest) async throws -> Response {
        guard let previews else { return frame.done(nil, at: ConsoleSection.messages.path) }
        let choice = previewChoice(opened)
        let page = ConsolePreviewPage(
            visitor: frame.visitor(opened), choice: choice, languages: languages,
            preview: previews.preview(choice.kind, by: choice.channel, in: choice.language))
        return frame.page(page, opened)
    }

    /// The page of a mail, for a frame of the preview: no script, and nothing that could reach the console.
    @Sendable func showMail(_ opened: ConsoleRequest) async throws -> Response {
        var choice = previewChoice(opened)
        choice.channel = .email
        guard let html = previews?.preview(choice.kind, by: choice.channel, in: choice.language).html else {
            return frame.done(nil, at: ConsoleSection.messages.path)
        }
        let headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy:
                "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; frame-ancestors 'self'",
            .xFrameOptions: "SAMEORIGIN", .referrerPolicy: "no-referrer",
        ]
        return Response(status: .ok, headers: headers, body: ByteBuffer(string: html))
    }

    private func previewChoice(_ opened: ConsoleRequest) -> ConsolePreviewPage.Choice {
        let wanted = opened.value("locale") ?? opened.look.language.code
        return ConsolePreviewPage.Choice(
            kind: opened.value("kind").flatMap(MessageKind.init) ?? .code,
            channel: opened.value("channel").flatMap(DeliveryMethod.init) ?? .email,
            language: languages.first { $0.code == wanted }?.code ?? languages[0].code)
    }
}
