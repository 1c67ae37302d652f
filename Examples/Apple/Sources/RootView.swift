import KeyturnUI
import SwiftUI

/// The gate: the account for a signed-in user, and otherwise what leads there.
struct RootView: View {
    @Environment(KeyturnModel.self) private var model

    var body: some View {
        SignedInView {
            AccountPage()
        } otherwise: {
            switch model.state {
            case .locked: UnlockPage()
            case .unavailable(let error): StorePage(error: error)
            default: SignInPage()
            }
        }
    }
}
