import Keyturn
import KeyturnUI
import SwiftUI

@testable import Sample

/// The sample app's first view, with a container of the test's.
struct SampleRoot: View {
    let auth: Keyturn
    var body: some View { RootView().keyturn(auth) }
}
