package api

import (
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"rebound/internal/job"
)

// Schemas are the JSON Schemas (2020-12) of the documents, by kind. They follow
// from the types, so that they cannot say anything else.
func Schemas() (map[string]*jsonschema.Schema, error) {
	outage, err := jsonschema.For[job.Outage](nil)
	if err != nil {
		return nil, fmt.Errorf("schema of an outage: %w", err)
	}
	for _, at := range []string{"failed_at", "first_impact_at", "restored_at", "caught_up_at"} {
		// See Outages.MarshalJSON.
		outage.Properties[at] = &jsonschema.Schema{Types: []string{"number", "string"}}
	}
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[job.Outage](): outage,
		reflect.TypeFor[Moment]():     {Types: []string{"number", "string"}},
	}}
	schemas := map[string]*jsonschema.Schema{}
	for kind, t := range map[string]reflect.Type{
		"Check": reflect.TypeFor[Check](), "Outages": reflect.TypeFor[Outages](),
		"Fit": reflect.TypeFor[Fit](), "DrillReport": reflect.TypeFor[DrillReport](),
		"Plan": reflect.TypeFor[Plan](), "Decisions": reflect.TypeFor[Decisions](),
		"Decision": reflect.TypeFor[Decision](), "Request": reflect.TypeFor[Request](),
		"Profiles": reflect.TypeFor[Profiles](), "Profiling": reflect.TypeFor[Profiling](),
		"Forecast": reflect.TypeFor[Forecast](), "Backtest": reflect.TypeFor[Backtest](),
	} {
		s, err := jsonschema.ForType(t, options)
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", kind, err)
		}
		s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", kind
		s.Properties["kind"].Enum = []any{kind}
		s.Properties["apiVersion"].Enum = []any{Version}
		schemas[kind] = s
	}
	return schemas, nil
}
