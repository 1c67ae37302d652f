/// Too many messages of providers wait to be verified: the user may load the page again, and nothing was spent.
struct ProviderIsBusy: Error {
    static let detail = "Too many people sign in right now. Load this page again in a few seconds."
}
