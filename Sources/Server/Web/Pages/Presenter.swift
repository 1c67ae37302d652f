internal import Foundation
internal import HTTPTypes
internal import NIOCore

/// Turns pages into responses: in the user's language, with the headers that protect against other sites.
struct Presenter: Sendable {
    let renderer: PageRenderer
    let projectName: String
    var languages = Languages()

    /// The language and colours for this request. The app's wish goes before the theme's and the browser's.
    func look(
        _ request: Request, uiLocales: String? = nil, colorScheme: String? = nil, journey: String? = nil
    ) -> PageLook {
        PageLook(
            language: languages.best(uiLocales: uiLocales, acceptLanguage: request.headers[.acceptLanguage]),
            colorScheme: colorScheme.flatMap(ColorScheme.init(rawValue:)) ?? renderer.theme(of: journey)?.colorScheme
                ?? .system,
            projectName: projectName, journey: journey)
    }

    func response(
        _ page: some Page, look: PageLook, status: HTTPResponse.Status = .ok, cookies: [String] = []
    ) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8",
            .cacheControl: "no-store",
            .contentLanguage: look.language.code,
        ]
        headers[.contentSecurityPolicy] = PageRenderer.contentSecurityPolicy(for: page)
        // Web views of apps take any other status for a page that did not load.
        let status = look.flow == nil ? status : .ok
        headers[.xFrameOptions] = "DENY"
        headers[.referrerPolicy] = "no-referrer"
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        let html = renderer.html(page, look: look)
        return Response(status: status, headers: headers, body: ByteBuffer(string: html))
    }

    /// A page that says what went wrong and what the user can do.
    func error(
        _ kind: ErrorPage.Kind, _ detail: String, status: HTTPResponse.Status, _ request: Request,
        _ context: WebContext, look known: PageLook? = nil
    ) -> Response {
        let page = ErrorPage(status: status.code, kind: kind, detail: detail, reference: context.reference)
        return response(page, look: known ?? look(request), status: status)
    }
}
