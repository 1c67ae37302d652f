internal import Foundation

/// Where a network address is, as far as a country database knows.
public struct NetworkLocation: Hashable, Sendable {
    /// ISO 3166-1, such as `DE`; `nil`: unknown.
    public let country: String?
    /// `nil`: unknown.
    public let coordinates: Coordinates?

    public init(country: String?, coordinates: Coordinates? = nil) {
        self.country = country
        self.coordinates = coordinates
    }

    public static let unknown = NetworkLocation(country: nil)
}

/// A place on Earth, rounded to a tenth of a degree: about 11 km. Databases of network addresses know no better.
public struct Coordinates: Hashable, Sendable {
    /// Tenths of a degree to the north, -900 to 900.
    public let latitude: Int
    /// Tenths of a degree to the east, -1800 to 1800.
    public let longitude: Int

    /// - Parameters:
    ///   - latitude: degrees.
    ///   - longitude: degrees.
    /// - Returns: `nil` for a place that does not exist.
    public init?(latitude: Double, longitude: Double) {
        // NaN is in no range.
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = Int((latitude * 10).rounded())
        self.longitude = Int((longitude * 10).rounded())
    }

    /// - Parameters: tenths of a degree.
    /// - Returns: `nil` for a place that does not exist.
    public init?(latitudeTenths: Int, longitudeTenths: Int) {
        guard (-900...900).contains(latitudeTenths), (-1800...1800).contains(longitudeTenths) else { return nil }
        latitude = latitudeTenths
        longitude = longitudeTenths
    }

    /// The distance over the surface, in kilometres (haversine formula).
    public func kilometres(to other: Coordinates) -> Double {
        func radians(_ tenths: Int) -> Double { Double(tenths) / 10 * .pi / 180 }
        let byLatitude = sin(radians(other.latitude - latitude) / 2)
        let byLongitude = sin(radians(other.longitude - longitude) / 2)
        let square =
            byLatitude * byLatitude
            + cos(radians(latitude)) * cos(radians(other.latitude)) * byLongitude * byLongitude
        return 2 * Self.earthRadius * asin(min(1, square.squareRoot()))
    }

    /// Kilometres: the mean radius of Earth.
    private static let earthRadius = 6_371.0
}
