import AppKit
import UIKit

// Signatures as in Apple's public documentation of SwiftUI (SDKs of Xcode 26).

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = StandInContent
    @ViewBuilder func body(content: Content) -> Body
}

extension View {
    public func modifier<Modifier: ViewModifier>(_ modifier: Modifier) -> some View {
        StandInModified(content: self) { place, content in
            place.link(modifier)
            place.below("\(Modifier.self)").draw(
                modifier.body(content: StandInContent { $0.draw(content) }))
        }
    }

    public func environment<Object: AnyObject & Observable>(_ object: Object?) -> some View {
        StandInModified(content: self) { place, content in
            var place = place
            place.environment.objects[ObjectIdentifier(Object.self)] = object
            place.draw(content)
        }
    }

    public func environment<Value>(_ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        StandInModified(content: self) { place, content in
            var place = place
            place.environment[keyPath: keyPath] = value
            place.draw(content)
        }
    }

    public func task(
        name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID, line: Int = #line,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        StandInModified(content: self) { place, content in
            place.host.task(action, at: place.path)
            place.draw(content)
        }
    }

    public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
        StandInModified(content: self) { place, content in
            place.host.openers.append(action)
            place.draw(content)
        }
    }

    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> some View {
        StandInModified(content: self) { place, content in
            place.host.compare(value, isInitial: initial, action, at: place.path)
            place.draw(content)
        }
    }

    public func id<ID: Hashable>(_ id: ID) -> some View {
        StandInModified(content: self) { place, content in place.below("id \(id)").draw(content) }
    }

    public func disabled(_ disabled: Bool) -> some View {
        StandInModified(content: self) { place, content in
            var place = place
            place.environment.isEnabled = place.environment.isEnabled && !disabled
            place.draw(content)
        }
    }

    public func background<Background: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> Background
    ) -> some View {
        let background = content()
        return StandInModified(content: self) { place, content in
            place.below("background").draw(background)
            place.draw(content)
        }
    }

    public func textContentType(_ textContentType: UITextContentType?) -> some View {
        StandInModified(content: self) { place, content in
            var place = place
            place.environment.contentType = textContentType
            place.draw(content)
        }
    }
}

@MainActor @preconcurrency
public protocol UIViewRepresentable: View, StandInPrimitive where Body == Never {
    associatedtype UIViewType: UIView
    typealias Context = StandInContext
    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
}

extension UIViewRepresentable {
    public var body: Never { fatalError("drawn by the system") }

    public func standInDraw(_ place: StandInPlace) {
        let view: UIViewType = place.host.view(at: place.path, in: { $0.standInMove(to: $1) }) {
            makeUIView(context: StandInContext())
        }
        updateUIView(view, context: StandInContext())
    }
}

@MainActor @preconcurrency
public protocol NSViewRepresentable: View, StandInPrimitive where Body == Never {
    associatedtype NSViewType: NSView
    typealias Context = StandInContext
    func makeNSView(context: Context) -> NSViewType
    func updateNSView(_ nsView: NSViewType, context: Context)
}

extension NSViewRepresentable {
    public var body: Never { fatalError("drawn by the system") }

    public func standInDraw(_ place: StandInPlace) {
        let view: NSViewType = place.host.view(at: place.path, in: { $0.standInMove(to: $1) }) {
            makeNSView(context: StandInContext())
        }
        updateNSView(view, context: StandInContext())
    }
}
