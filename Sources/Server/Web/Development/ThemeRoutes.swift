internal import HTTPTypes

/// `/dev/theme`: the theme on the main elements of the pages, and the contrast of its colours. Only in demonstrations.
struct ThemeRoutes: Sendable {
    let checks: Checks
    let presenter: Presenter
    let options: WebServer.Options

    var routes: [Route] {
        guard options.demonstration != nil else { return [] }
        let page = ThemePage(theme: options.theme, hasOutbox: options.outbox != nil)
        return [
            Route(.get, Routes.theme, checks.developerOnPage, isPage: true) { [presenter] _, request, _ in
                presenter.response(page, look: presenter.look(request))
            },
            AssetRoutes.route(page.asset),
        ]
    }
}
