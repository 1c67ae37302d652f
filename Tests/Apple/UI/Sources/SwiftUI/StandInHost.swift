import AppKit
import UIKit

/// What SwiftUI draws without asking for a body.
@MainActor public protocol StandInPrimitive {
    func standInDraw(_ place: StandInPlace)
}

public struct StandInGroup: View, StandInPrimitive {
    let views: [any View]
    public var body: Never { fatalError("drawn by the system") }

    public func standInDraw(_ place: StandInPlace) {
        for (number, view) in views.enumerated() { place.below("\(number)").draw(view) }
    }
}

public enum StandInEither<First: View, Second: View>: View, StandInPrimitive {
    case first(First)
    case second(Second)
    public var body: Never { fatalError("drawn by the system") }

    public func standInDraw(_ place: StandInPlace) {
        switch self {
        case .first(let view): place.below("first").draw(view)
        case .second(let view): place.below("second").draw(view)
        }
    }
}

/// What a modifier is given to show.
public struct StandInContent: View, StandInPrimitive {
    let draw: @MainActor (StandInPlace) -> Void
    public var body: Never { fatalError("drawn by the system") }
    public func standInDraw(_ place: StandInPlace) { draw(place) }
}

struct StandInModified<Content: View>: View, StandInPrimitive {
    let content: Content
    let effect: @MainActor (StandInPlace, Content) -> Void
    var body: Never { fatalError("drawn by the system") }
    func standInDraw(_ place: StandInPlace) { effect(place.below("."), content) }
}

public struct StandInContext {}

public struct StandInButton {
    public let isEnabled: Bool
    let action: @MainActor () -> Void

    @MainActor public func press() {
        if isEnabled { action() }
    }
}

public struct StandInField {
    public let text: Binding<String>
    public let contentType: UITextContentType?
}

/// A place in the tree of views: what is kept there belongs to whatever view is drawn there next.
@MainActor public struct StandInPlace {
    let host: StandInHost
    var environment: EnvironmentValues
    var path: String

    func below(_ name: String) -> StandInPlace {
        var place = self
        place.path += "/" + name
        return place
    }

    func draw<Content: View>(_ view: Content) {
        if let primitive = view as? any StandInPrimitive { return primitive.standInDraw(self) }
        link(view)
        below("\(Content.self)").draw(view.body)
    }

    /// Fills the properties of a view or a modifier.
    func link(_ value: Any) {
        for (label, property) in Mirror(reflecting: value).children {
            (property as? any StandInProperty)?.standInLink(below(label ?? ""))
        }
    }
}

/// Draws a tree of views when it is told to, and does what a person and the system do.
@MainActor public final class StandInHost {
    private let root: any View
    public var environment = EnvironmentValues()
    /// The window that it is drawn in; `nil`: none.
    public var window: (ui: UIWindow, mac: NSWindow)?
    public internal(set) var texts: [String] = []
    public internal(set) var buttons: [String: StandInButton] = [:]
    public internal(set) var fields: [String: StandInField] = [:]
    var openers: [(URL) -> Void] = []

    private var kept: [String: AnyObject] = [:]
    private var values: [String: Any] = [:]
    private var tasks: [String: Task<Void, Never>] = [:]
    private var drawn: Set<String> = []
    private var afterwards: [() -> Void] = []

    public init(_ root: some View) {
        self.root = root
    }

    /// The first scene of an app.
    public init<Root: App>(_ app: Root) {
        guard let group = app.body as? any StandInScene else { fatalError("not a group of windows") }
        root = group.standInContent
    }

    deinit {
        for task in tasks.values { task.cancel() }
    }

    /// Draws everything, and lets go of what is not there any more.
    public func draw() {
        (texts, buttons, fields, openers, drawn, afterwards) = ([], [:], [:], [], [], [])
        StandInPlace(host: self, environment: environment, path: "").draw(root)
        kept = kept.filter { drawn.contains($0.key) }
        values = values.filter { drawn.contains($0.key) }
        for (path, task) in tasks where !drawn.contains(path) {
            task.cancel()
            tasks[path] = nil
        }
        for action in afterwards { action() }
    }

    /// The system opens the app with an address.
    public func open(_ url: URL) {
        for opener in openers { opener(url) }
    }

    func kept<Kept: AnyObject>(_ new: Kept, at path: String) -> Kept {
        drawn.insert(path)
        if let old = kept[path] as? Kept { return old }
        kept[path] = new
        return new
    }

    func task(_ action: @escaping @Sendable () async -> Void, at path: String) {
        let path = path + "#task"
        drawn.insert(path)
        if tasks[path] == nil { tasks[path] = Task { await action() } }
    }

    func compare<Value: Equatable>(
        _ value: Value, isInitial: Bool, _ action: @escaping (Value, Value) -> Void, at path: String
    ) {
        let path = path + "#value"
        drawn.insert(path)
        let old = values[path] as? Value
        values[path] = value
        if let old, old != value { afterwards.append { action(old, value) } }
        if old == nil, isInitial { afterwards.append { action(value, value) } }
    }

    func view<Made: UIView>(
        at path: String, in move: (Made, UIWindow?) -> Void, make: () -> Made
    ) -> Made {
        let view = kept[path + "#view"] as? Made ?? make()
        _ = kept(view, at: path + "#view")
        if view.window !== window?.ui { move(view, window?.ui) }
        return view
    }

    func view<Made: NSView>(
        at path: String, in move: (Made, NSWindow?) -> Void, make: () -> Made
    ) -> Made {
        let view = kept[path + "#view"] as? Made ?? make()
        _ = kept(view, at: path + "#view")
        if view.window !== window?.mac { move(view, window?.mac) }
        return view
    }
}

@MainActor protocol StandInScene {
    var standInContent: any View { get }
}

extension WindowGroup: StandInScene {
    var standInContent: any View { content() }
}
