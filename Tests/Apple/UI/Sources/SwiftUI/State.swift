import UIKit

/// A property that the system fills before a view is asked for its body.
@MainActor protocol StandInProperty {
    func standInLink(_ place: StandInPlace)
}

/// What a view keeps: with the view's place in the tree, not with its value, which is made anew each time.
@propertyWrapper
public struct State<Value>: StandInProperty {
    final class Box {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    /// Which of them counts: the box of this value, or the one that was at its place before.
    final class Link {
        var box: Box

        init(_ box: Box) {
            self.box = box
        }
    }

    let link: Link

    public init(wrappedValue value: Value) {
        link = Link(Box(value))
    }

    public init(initialValue value: Value) {
        link = Link(Box(value))
    }

    public var wrappedValue: Value {
        get { link.box.value }
        nonmutating set { link.box.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        let box = link.box
        return Binding(get: { box.value }, set: { box.value = $0 })
    }

    func standInLink(_ place: StandInPlace) {
        link.box = place.host.kept(link.box, at: place.path)
    }
}

@propertyWrapper
public struct Binding<Value> {
    private let read: () -> Value
    private let write: (Value) -> Void

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        (read, write) = (get, set)
    }

    public static func constant(_ value: Value) -> Binding<Value> {
        Binding(get: { value }, set: { _ in })
    }

    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }

    public var projectedValue: Binding<Value> { self }
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public enum ScenePhase: Comparable, Sendable {
    case background, inactive, active
}

public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]
    var objects: [ObjectIdentifier: AnyObject] = [:]
    var contentType: UITextContentType?
    public var scenePhase = ScenePhase.background
    public var isEnabled = true

    public init() {}

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

@propertyWrapper
public struct Environment<Value>: StandInProperty {
    final class Link {
        var environment: EnvironmentValues?
    }

    let link = Link()
    let read: (EnvironmentValues) -> Value?

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
        read = { $0[keyPath: keyPath] }
    }

    public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable {
        read = { $0.objects[ObjectIdentifier(objectType)] as? Value }
    }

    public var wrappedValue: Value {
        guard let environment = link.environment else { fatalError("read outside of a body") }
        guard let value = read(environment) else { fatalError("No Observable object of type \(Value.self) found") }
        return value
    }

    func standInLink(_ place: StandInPlace) {
        link.environment = place.environment
    }
}
