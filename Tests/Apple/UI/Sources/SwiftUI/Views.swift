@_exported import Foundation
@_exported import Observation
import AppKit
import UIKit

// Names, signatures and isolation as in Apple's public documentation of SwiftUI (SDKs of Xcode 26).

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("drawn by the system") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("drawn by the system") }
}

extension Optional: StandInPrimitive where Wrapped: View {
    public func standInDraw(_ place: StandInPlace) {
        if let self { place.below("some").draw(self) }
    }
}

@resultBuilder @MainActor
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> StandInGroup {
        var all: [any View] = []
        repeat all.append(each content)
        return StandInGroup(views: all)
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> StandInEither<First, Second> {
        .first(first)
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> StandInEither<First, Second> {
        .second(second)
    }
}

public struct EmptyView: View, StandInPrimitive {
    public init() {}
    public var body: Never { fatalError("drawn by the system") }
    public func standInDraw(_ place: StandInPlace) {}
}

public struct LocalizedStringKey: Hashable, ExpressibleByStringInterpolation {
    let key: String

    public init(stringLiteral value: String) {
        key = value
    }
}

public struct Text: View, StandInPrimitive {
    let text: String

    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) {
        text = key.key
    }

    @_disfavoredOverload public init<Content: StringProtocol>(_ content: Content) {
        text = String(content)
    }

    public var body: Never { fatalError("drawn by the system") }

    public func standInDraw(_ place: StandInPlace) {
        place.host.texts.append(text)
    }
}

public struct Button<Label: View>: View, StandInPrimitive {
    let action: @MainActor () -> Void
    let label: Label

    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }

    public var body: Never { fatalError("drawn by the system") }

    public func standInDraw(_ place: StandInPlace) {
        let before = place.host.texts.count
        place.below("label").draw(label)
        let title = place.host.texts[before...].joined()
        place.host.buttons[title] = StandInButton(isEnabled: place.environment.isEnabled, action: action)
    }
}

extension Button where Label == Text {
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(titleKey) }
    }
}

public struct TextField: View, StandInPrimitive {
    let title: LocalizedStringKey
    let text: Binding<String>

    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        title = titleKey
        self.text = text
    }

    public var body: Never { fatalError("drawn by the system") }

    public func standInDraw(_ place: StandInPlace) {
        place.host.fields[title.key] = StandInField(text: text, contentType: place.environment.contentType)
    }
}

public struct SecureField: View, StandInPrimitive {
    let title: LocalizedStringKey
    let text: Binding<String>

    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        title = titleKey
        self.text = text
    }

    public var body: Never { fatalError("drawn by the system") }

    public func standInDraw(_ place: StandInPlace) {
        place.host.fields[title.key] = StandInField(text: text, contentType: place.environment.contentType)
    }
}

public struct Alignment: Sendable {
    public static let center = Self()
}

public struct HorizontalAlignment: Sendable {
    public static let center = Self()
}

public struct VStack<Content: View>: View, StandInPrimitive {
    let content: Content

    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {
        self.content = content()
    }

    public var body: Never { fatalError("drawn by the system") }

    public func standInDraw(_ place: StandInPlace) {
        place.below("stack").draw(content)
    }
}

/// What a real framework makes of an app.
@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

extension App {
    /// Draws the first screen, and ends.
    public static func main() {
        let host = StandInHost(Self())
        host.draw()
    }
}

@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

@resultBuilder @MainActor
public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    let content: () -> Content

    public init(@ViewBuilder content: @escaping () -> Content) {
        self.content = content
    }

    public var body: Never { fatalError("drawn by the system") }
}
