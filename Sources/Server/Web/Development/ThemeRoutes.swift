internal import HTTPTypes

/// `/dev/theme`: the theme on the main elements of the pages, and the contrast of its colours. Only in demonstrations.
struct ThemeRoutes: Sendable {
    let presenter: Presenter
    let options: WebServer.Options

    var routes: [Route] {
        guard options.demonstration != nil else { return [] }
        let page = ThemePage(theme: options.theme, hasOutbox: options.outbox != nil)
        return [
            Route(.get, Routes.theme, open: "for demonstrations alone", isPage: true) { [presenter] request, _ in
                presenter.response(page, look: presenter.look(request))
            },
            AssetRoutes.route(page.asset),
        ]
    }
}
