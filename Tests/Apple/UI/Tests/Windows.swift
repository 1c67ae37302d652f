import AppKit
import Foundation
import KeyturnUI
import SwiftUI
import UIKit

// Apart from the tests: a file that imports Testing and one of these frameworks would want more than the stand-ins have.

/// One window of an app, as UIKit and as AppKit know it.
@MainActor struct Windows {
    let touch = UIWindow()
    let mac = NSWindow()
}

extension StandInHost {
    /// Draws in these windows from now on; `nil`: in none.
    func move(to windows: Windows?) {
        window = windows.map { ($0.touch, $0.mac) }
    }

    /// Whether the field of that title is one for usernames.
    func isForUsernames(_ title: String) -> Bool {
        fields[title]?.contentType?.rawValue == UITextContentType.username.rawValue
    }
}

/// A view controller whose view is in that window; without one, its view is in none, or is not loaded.
@MainActor func controller(in window: UIWindow?, isLoaded: Bool = true) -> UIViewController {
    let view = UIView(frame: .zero)
    view.standInMove(to: window)
    return UIViewController(standIn: isLoaded ? view : nil)
}

/// What a scene delegate is given.
@MainActor func context(_ url: URL) -> UIOpenURLContext { UIOpenURLContext(standIn: url) }

/// A link that the system opens an app with, or something else that a user has begun elsewhere.
func activity(_ url: URL?, isLink: Bool = true) -> NSUserActivity {
    let activity = NSUserActivity(activityType: isLink ? NSUserActivityTypeBrowsingWeb : "com.example.reading")
    activity.webpageURL = url
    return activity
}

/// A form where a username is typed.
struct NameForm: View {
    var body: some View {
        SignedInView {
            EmptyView()
        } otherwise: {
            TextField("name", text: .constant("")).textContentType(.username).keyturnPasskeys { _ in }
        }
    }
}
