import AppKit
import AuthenticationServices
import UIKit

// Apart from the tests: a file that imports Testing and one of these frameworks would want more than the stand-ins have.

/// One scene of the app that the stand-ins show.
struct StandInScene {
    let state: UIScene.ActivationState
    var key: ASPresentationAnchor?
    var windows: [ASPresentationAnchor] = []

    static func active(key: ASPresentationAnchor?, _ windows: ASPresentationAnchor...) -> StandInScene {
        StandInScene(state: .foregroundActive, key: key, windows: windows)
    }

    static func inactive(key: ASPresentationAnchor?) -> StandInScene {
        StandInScene(state: .foregroundInactive, key: key)
    }

    static func background(key: ASPresentationAnchor?) -> StandInScene { StandInScene(state: .background, key: key) }
}

/// Shows an app with these scenes, beside one that has no windows; `nil`: no app.
@MainActor func show(_ scenes: [StandInScene]?) {
    UIApplication.standIn = scenes.map { scenes in
        UIApplication(
            standIn: [UIScene(standIn: .foregroundActive)]
                + scenes.map { scene in
                    let windowScene = UIWindowScene(standIn: scene.state)
                    (windowScene.keyWindow, windowScene.windows) = (scene.key, scene.windows)
                    return windowScene
                })
    }
}

/// Shows an app of the Mac with these windows.
@MainActor func show(
    key: ASPresentationAnchor?, main: ASPresentationAnchor?, _ windows: ASPresentationAnchor...
) {
    let application = NSApplication.shared
    (application.keyWindow, application.mainWindow, application.windows) = (key, main, windows)
}
