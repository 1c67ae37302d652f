public import Model

extension PasswordMethods: SignInMethod {
    public static let name = "password"
    public static let proves: Set<AuthenticationMethod> = [.password]
    public static let places: Set<SignInPlace> = [.first, .second]
    public static let isSetUpByUser = true
}
