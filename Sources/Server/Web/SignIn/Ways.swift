internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

extension SignInStepPage {
    /// The page of other methods.
    static let ways = SignInStepPage(step: .ways, path: "/login/methods", show: { try await $0.waysPage($1, $2) }) {
        try await $0.chooseWay($1, $2)
    }
}

/// The page of other methods, for a first factor or for a second one.
extension SignInRoutes {
    func waysPage(_ signIn: OpenedSignIn, _ problem: StepProblem = StepProblem()) async throws -> Response {
        let isSecond = signIn.progress.proven != nil
        let needsPasskey = signIn.progress.needsPasskey == true
        return respond(
            MethodsPage(
                form: form(signIn), purpose: !isSecond ? .signIn : needsPasskey ? .passkey : .secondFactor,
                appName: appName(signIn.transaction),
                options: needsPasskey && isSecond ? [] : options(signIn, isSecond ? .second : .first),
                passkey: try await passkeyButton(signIn), problem: problem.passkey?.refusal,
                signals: problem.passkey?.signals ?? [], canBeLost: isSecond && services.recovery.isOffered), signIn,
            problem.refusal)
    }

    private func options(_ signIn: OpenedSignIn, _ place: SignInPlace) -> [MethodsPage.Option] {
        SignInMethodPages.all.filter {
            services.methods.offers($0.method) && accepts($0.method.proves, in: signIn, place)
        }
        .flatMap(\.ways)
        .filter { $0.place == place }
        .map { way in
            let (method, destination) = way.label(self, signIn)
            return MethodsPage.Option(method: method, value: way.value, destination: destination)
        }
    }

    func chooseWay(_ signIn: OpenedSignIn, _ form: SameSiteForm) async throws -> Response {
        let value = try form.one("method")
        let place = signIn.progress.proven == nil ? SignInPlace.first : .second
        let accepted = SignInMethodPages.all.lazy.filter { accepts($0.method.proves, in: signIn, place) }
        guard let way = accepted.flatMap(\.ways).first(where: { $0.value == value }) else {
            return try await waysPage(signIn)
        }
        return try await way.choose(self, signIn)
    }

    /// Whether the journey takes a method here.
    private func accepts(_ methods: Set<AuthenticationMethod>, in signIn: OpenedSignIn, _ place: SignInPlace) -> Bool {
        guard let transaction = signIn.transaction.authorization else { return true }
        guard place == .second else { return entry(transaction).allows(methods) }
        return stepUpProof(signIn).map { $0.methods.isEmpty || !$0.methods.isDisjoint(with: methods) } ?? true
    }
}
