package normal

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Values calculated with mpmath 1.x at 60 digits: log(erfc(-z/√2)/2), φ/Φ and
// log(φ + zΦ).
func TestReference(t *testing.T) {
	for _, c := range []struct{ z, logCDF, hazard, logExcess float64 }{
		{9.5, -1.04945150753626075e-21, 1.00779353943000099e-20, 2.25129179860649515},
		{3, -0.0013508099647481938, 0.00443783904212566379, 1.09873966532770777},
		{0.5, -0.368946415288656393, 0.509160433837033486, -0.359827683745063819},
		{0, -0.693147180559945309, 0.797884560802865356, -0.918938533204672742},
		{-0.5, -1.17591176159361861, 1.14107777036806448, -1.62051626438731992},
		{-1, -1.84102164500926351, 1.52513527616098121, -2.48512102571264134},
		{-1.5, -2.70594440082388981, 1.93867716662254319, -3.52993592080570985},
		{-3, -6.60772622151034954, 3.28309865493043651, -7.86968605960302852},
		{-6, -20.7367689499747057, 6.15848260454459892, -22.5788793921697974},
		{-7.5, -31.0758909028900012, 7.62896639110376592, -33.1240943455346994},
		{-12, -75.4106730015687959, 12.0822141752542843, -77.9091005450073483},
		{-40, -804.608442013753788, 40.0249688472072637, -808.29856835661996},
		{-1000, -500007.826694812184, 1000.00099999800001, -500014.734452091158},
	} {
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"LogCDF", LogCDF(c.z), c.logCDF},
			{"Hazard", Hazard(c.z), c.hazard},
			{"LogExcess", LogExcess(c.z), c.logExcess},
			{"log Excess", math.Log(max(Excess(c.z), math.SmallestNonzeroFloat64)), max(c.logExcess, math.Log(math.SmallestNonzeroFloat64))},
		} {
			if math.Abs(v.got-v.want) > 2e-14*math.Abs(v.want) {
				t.Errorf("%s(%g) = %.17g, want %.17g", v.name, c.z, v.got, v.want)
			}
		}
	}
}

// Both expansions meet where one takes over from the other, h' = Φ, and h is
// convex and above both of its asymptotes 0 and z.
func TestExcessLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.Float64Range(-30, 30).Draw(t, "z")
		const step = 1e-4
		slope := (Excess(z+step) - Excess(z-step)) / (2 * step)
		// The third derivative of h is -zφ(z).
		if want := CDF(z); math.Abs(slope-want) > 1e-9+step*step*want*(z*z+1) {
			t.Fatalf("slope %g, want %g", slope, want)
		}
		if h := Excess(z); h <= 0 || h < z-1e-15*math.Abs(z) { // where Φ is 1 but for its last bit
			t.Fatalf("h(%g) = %g", z, h)
		}
	})
	for _, z := range []float64{-1, -6, 9} {
		below, above := LogExcess(math.Nextafter(z, -100)), LogExcess(math.Nextafter(z, 100))
		if math.Abs(below-above) > 1e-12*math.Abs(above) {
			t.Errorf("LogExcess jumps at %g: %.17g, %.17g", z, below, above)
		}
	}
}

func TestNodes(t *testing.T) {
	n := NewNodes()
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.Float64Range(-12, 12).Draw(t, "z")
		if got, want := n.Excess(z), Excess(z); math.Abs(got-want) > 1e-11*want {
			t.Fatalf("h(%g) = %g, want %g", z, got, want)
		}
	})
	for _, z := range []float64{-6, 9, math.Inf(-1), -1e300, 1e300} {
		if got, want := n.Excess(z), Excess(z); math.Abs(got-want) > 1e-11*math.Abs(want) {
			t.Errorf("h(%g) = %g, want %g", z, got, want)
		}
	}
}

func TestExp(t *testing.T) {
	p := NewPowers()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.Float64Range(0, 699).Draw(t, "s")
		if got, want := p.Exp(s), math.Exp(-s); math.Abs(got-want) > 1e-15*want {
			t.Fatalf("e^-%g = %g, want %g", s, got, want)
		}
	})
	if p.Exp(0) != 1 || p.Exp(701) != 0 || p.Exp(math.Inf(1)) != 0 || !math.IsNaN(p.Exp(math.NaN())) {
		t.Errorf("e^-s at 0, 701, NaN: %g %g %g", p.Exp(0), p.Exp(701), p.Exp(math.NaN()))
	}
}
